import { AsyncLocalStorage } from "node:async_hooks";
import * as diagnosticsChannel from "node:diagnostics_channel";
import { Agent, type AgentOptions } from "pi-agent";
import { agentTool } from "pi-agent/limits";
import { traceAgent } from "pi-agent/otel";
import { Type } from "pi-ai";
import { createAssistantMessage } from "pi-ai/call";
import type { TelemetryOptions } from "pi-ai/otel";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type RecordedSpans, recordSpans } from "../../../ai/test/support/recorded-spans.js";
import { call, calls, MODEL, response, type Step, scripted, stuckAfter, text } from "../../test/scripted-stream.js";
import { never, result, tool } from "../../test/scripted-tool.js";

let spans: RecordedSpans;
beforeEach(() => {
  spans = recordSpans();
});
afterEach(() => spans.stop());

type Setup = AgentOptions & { trace?: Partial<TelemetryOptions> & { name?: string } };

function createAgent(steps: Step[], { initialState, trace, ...options }: Setup = {}): Agent {
  const { streamFn } = scripted(...steps);
  const tools = [tool("a"), tool("b")];
  const agent = new Agent({ initialState: { model: MODEL, tools, ...initialState }, streamFn, ...options });
  traceAgent(agent, { api: spans.api, ...trace });
  return agent;
}

const named = (name: string) => spans.ended.filter((span) => span.name === name);

describe("a run", () => {
  test("is a span with a child for each request and each tool call", async () => {
    const agent = createAgent([calls("a", "b")], { trace: { name: "travel" }, sessionId: "c1" });
    await agent.prompt("hi");
    expect(spans.ended.map(({ name }) => name)).toEqual([
      "chat scripted-1",
      "execute_tool a",
      "execute_tool b",
      "chat scripted-1",
      "invoke_agent travel",
    ]);
    const run = spans.ended.at(-1);
    expect(spans.ended.slice(0, -1).every(({ parent }) => parent === run)).toBe(true);
    expect(run?.attributes).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "travel",
      "gen_ai.conversation.id": "c1",
      "gen_ai.provider.name": "test",
      "gen_ai.request.model": "scripted-1",
      "gen_ai.usage.input_tokens": 14,
      "gen_ai.usage.output_tokens": 6,
      "gen_ai.usage.cache_read.input_tokens": 0,
      "gen_ai.usage.cache_creation.input_tokens": 0,
      "pi.usage.cost": 0,
    });
    expect(named("execute_tool a")[0]?.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "a",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": "1",
      "gen_ai.tool.description": "a",
    });
    expect(spans.open).toEqual([]);
  });

  test("is a child of the span in which it was started, with the tool's own code inside the tool's span", async () => {
    const store = new AsyncLocalStorage<unknown>();
    const active = diagnosticsChannel.channel("pi.span.active");
    active.bindStore(store);
    const seen: unknown[] = [];
    const look = async () => {
      await null;
      seen.push(store.getStore());
      return result("done");
    };
    const agent = createAgent([calls("a")], { initialState: { tools: [tool("a", look)] } });
    await agent.prompt("hi");
    active.unbindStore(store);
    expect(seen).toEqual(named("execute_tool a"));
  });

  test("carries the signal of the run, which copies of a span do not hold", async () => {
    const agent = createAgent([calls("a")]);
    let signal: AbortSignal | undefined;
    agent.subscribe((_event, current) => {
      signal = current;
    });
    await agent.prompt("hi");
    expect(signal).toBeDefined();
    expect(named("invoke_agent")[0]?.signal).toBe(signal);
    expect(named("chat scripted-1").map((span) => span.signal === signal)).toEqual([true, true]);
    expect(structuredClone(named("invoke_agent")[0])).not.toHaveProperty("signal");
  });

  test("records durations, tokens and the time to the first chunk", async () => {
    await createAgent([calls("a")]).prompt("hi");
    const names = spans.metrics.map(({ name, attributes }) =>
      `${name} ${attributes["gen_ai.token.type"] ?? ""}`.trim(),
    );
    const request = [
      "gen_ai.client.operation.time_to_first_chunk",
      "gen_ai.client.token.usage input",
      "gen_ai.client.token.usage output",
      "gen_ai.client.operation.duration",
    ];
    expect(names).toEqual([...request, "gen_ai.execute_tool.duration", ...request, "gen_ai.invoke_agent.duration"]);
    expect(spans.metrics.every(({ value }) => value >= 0)).toBe(true);
    expect(spans.metrics[1]).toMatchObject({ value: 7, attributes: { "gen_ai.request.model": "scripted-1" } });
  });

  test("names a tool call that never ran in an event", async () => {
    await createAgent([response([call("1", "missing")])]).prompt("hi");
    const [run] = named("invoke_agent");
    expect(run?.events).toEqual([{ name: "pi.tool_call.refused", attributes: { "gen_ai.tool.name": "missing" } }]);
  });

  test("keeps the application's own hooks, inside the spans", async () => {
    const order: string[] = [];
    const agent = createAgent([calls("a")], {
      wrapToolCall: (_call, execute) => {
        order.push(`tool in ${spans.open.join(", ")}`);
        return execute();
      },
      wrapModelCall: (request, send) => {
        order.push(`request in ${spans.open.join(", ")}`);
        return send(request);
      },
    });
    await agent.prompt("hi");
    expect(order).toEqual([
      "request in invoke_agent, chat scripted-1",
      "tool in invoke_agent, execute_tool a",
      "request in invoke_agent, chat scripted-1",
    ]);
  });

  test("is no longer recorded after the trace was stopped, and the previous hooks are restored", async () => {
    const agent = new Agent({ initialState: { model: MODEL }, streamFn: scripted().streamFn });
    traceAgent(agent, { api: spans.api })();
    await agent.prompt("hi");
    expect(spans.started).toEqual([]);
    expect(agent).toMatchObject({ wrapModelCall: undefined, wrapToolCall: undefined });
  });
});

describe("an agent that a tool runs", () => {
  const ask = (child: Agent) =>
    agentTool({ name: "research", description: "Researches", parameters: Type.Object({}), agent: () => child });
  const createChild = (): Agent =>
    new Agent({ initialState: { model: MODEL, tools: [tool("a")] }, streamFn: scripted(calls("a")).streamFn });
  const tree = () =>
    spans.ended.map(({ name, parent, attributes }) => [name, parent?.name, attributes["gen_ai.conversation.id"]]);

  test("is a part of the trace, in the same conversation", async () => {
    const child = createChild();
    const agent = createAgent([calls("research")], { initialState: { tools: [ask(child)] }, sessionId: "c1" });
    await agent.prompt("hi");
    expect(tree()).toEqual([
      ["chat scripted-1", "invoke_agent", "c1"],
      ["chat scripted-1", "invoke_agent research", "c1"],
      ["execute_tool a", "invoke_agent research", undefined],
      ["chat scripted-1", "invoke_agent research", "c1"],
      ["invoke_agent research", "execute_tool research", "c1"],
      ["execute_tool research", "invoke_agent", undefined],
      ["chat scripted-1", "invoke_agent", "c1"],
      ["invoke_agent", undefined, "c1"],
    ]);
    expect(named("invoke_agent research")[0]?.attributes["gen_ai.agent.name"]).toBe("research");
    // The trace of a call ends with it.
    expect(child).toMatchObject({ wrapModelCall: undefined, wrapToolCall: undefined });
  });

  test("is not traced twice if it has a trace of its own, which joins that of the call", async () => {
    const child = createChild();
    traceAgent(child, { api: spans.api, name: "own" });
    const agent = createAgent([calls("research")], { initialState: { tools: [ask(child)] }, sessionId: "c1" });
    await agent.prompt("hi");
    expect(tree().filter(([, parent]) => parent === "execute_tool research")).toEqual([
      ["invoke_agent own", "execute_tool research", "c1"],
    ]);
    expect(named("chat scripted-1")).toHaveLength(4);
    spans.ended.length = 0;
    await child.prompt("again");
    expect(named("invoke_agent own")[0]).toMatchObject({ name: "invoke_agent own" });
    expect(named("invoke_agent own")[0]?.parent).toBeUndefined();
    expect(named("invoke_agent own")[0]?.attributes).not.toHaveProperty("gen_ai.conversation.id");
  });
});

test("a failed run without counts reports no tokens", async () => {
  const { usage } = createAssistantMessage({ api: "", provider: "", id: "" });
  const failed = text("", {
    stopReason: "error",
    errorMessage: "no",
    error: { kind: "overloaded" },
    usage,
    content: [],
  });
  await createAgent([failed]).prompt("hi");
  for (const { attributes } of spans.ended)
    expect(Object.keys(attributes).filter((name) => name.includes("usage"))).toEqual([]);
});

describe("content", () => {
  const secretTool = tool("a", async () => result("secret result"));
  const failingTool = tool("b", () => Promise.reject(new Error("secret error")));
  const said = response([call("1", "a", { q: "secret argument" }), call("2", "b")]);
  const run = (trace: Setup["trace"]) =>
    createAgent([said], {
      initialState: { tools: [secretTool, failingTool], systemPrompt: "secret instructions" },
      ...(trace && { trace }),
    }).prompt("secret prompt");

  test("is not recorded by default", async () => {
    await run({});
    expect(JSON.stringify(spans.ended)).not.toContain("secret");
    expect(named("execute_tool b")[0]).toMatchObject({ attributes: { "error.type": "Error" }, failure: {} });
  });

  test("is recorded on request, in the form of the conventions", async () => {
    await run({ content: true });
    const [first] = named("chat scripted-1");
    expect(JSON.parse(String(first?.attributes["gen_ai.input.messages"]))).toEqual([
      { role: "user", parts: [{ type: "text", content: "secret prompt" }] },
    ]);
    expect(JSON.parse(String(first?.attributes["gen_ai.output.messages"]))).toEqual([
      {
        role: "assistant",
        parts: [
          { type: "tool_call", id: "1", name: "a", arguments: { q: "secret argument" } },
          { type: "tool_call", id: "2", name: "b", arguments: {} },
        ],
        finish_reason: "tool_call",
      },
    ]);
    expect(JSON.parse(String(first?.attributes["gen_ai.system_instructions"]))).toEqual([
      { type: "text", content: "secret instructions" },
    ]);
    expect(named("execute_tool a")[0]?.attributes["gen_ai.tool.call.result"]).toContain("secret result");
    expect(named("execute_tool b")[0]?.failure).toEqual({ message: "secret error" });
  });

  test("can be redacted or dropped, and an error while redacting drops it", async () => {
    await run({
      content: true,
      redact: (text, attribute) => {
        if (attribute === "gen_ai.system_instructions") throw new Error("cannot redact");
        return attribute === "error.message" ? undefined : text.replaceAll("secret", "****");
      },
    });
    expect(JSON.stringify(spans.ended)).not.toContain("secret");
    expect(JSON.stringify(spans.ended)).toContain("**** prompt");
  });
});

describe("every span ends", () => {
  test.each<{ title: string; steps: Step[]; options?: Setup; failures: Record<string, string> }>([
    {
      title: "a tool throws",
      steps: [calls("a")],
      options: { initialState: { tools: [tool("a", () => Promise.reject(new TypeError("no")))] } },
      failures: { "execute_tool a": "TypeError" },
    },
    {
      title: "a tool takes too long",
      steps: [calls("a")],
      options: { initialState: { tools: [tool("a", never)] }, toolTimeoutMs: 1 },
      failures: { "execute_tool a": "TimeoutError" },
    },
    {
      title: "a request fails",
      steps: [text("half", { stopReason: "error", errorMessage: "overloaded", error: { kind: "overloaded" } })],
      failures: { "chat scripted-1": "overloaded", invoke_agent: "overloaded" },
    },
    {
      title: "the stream function throws",
      steps: [
        () => {
          throw new RangeError("no");
        },
      ],
      failures: { "chat scripted-1": "RangeError", invoke_agent: "unknown" },
    },
    {
      title: "the run has too many turns",
      steps: [calls("a")],
      options: { maxTurns: 1 },
      failures: { invoke_agent: "unknown" },
    },
  ])("when $title", async ({ steps, options, failures }) => {
    await createAgent(steps, options).prompt("hi");
    expect(spans.open).toEqual([]);
    const found = spans.ended.filter(({ failure }) => failure);
    expect(Object.fromEntries(found.map(({ name, attributes }) => [name, attributes["error.type"]]))).toEqual(failures);
  });

  test.each<{ title: string; steps: Step[]; options?: Setup; aborted: string }>([
    {
      title: "a tool that is stuck",
      steps: [calls("a")],
      options: { initialState: { tools: [tool("a", never)] } },
      aborted: "execute_tool a",
    },
    { title: "a request that is stuck", steps: [stuckAfter([])], aborted: "chat scripted-1" },
    {
      title: "a hook around a tool that is stuck",
      steps: [calls("a")],
      options: { wrapToolCall: () => never() },
      aborted: "execute_tool a",
    },
    {
      title: "a hook around a request that is stuck",
      steps: [],
      options: { wrapModelCall: () => never() },
      aborted: "chat scripted-1",
    },
  ])("when a run is aborted during $title", async ({ steps, options, aborted }) => {
    const agent = createAgent(steps, options);
    const listen = () => {
      if (spans.open.includes(aborted)) agent.abort();
    };
    diagnosticsChannel.subscribe("pi.span.start", listen);
    await agent.prompt("hi");
    diagnosticsChannel.unsubscribe("pi.span.start", listen);
    expect(spans.open).toEqual([]);
    expect(named("invoke_agent")[0]?.attributes["error.type"]).toBe("aborted");
    expect(named(aborted)[0]?.failure).toBeDefined();
  });
});
