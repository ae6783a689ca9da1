import { AsyncLocalStorage } from "node:async_hooks";
import * as diagnosticsChannel from "node:diagnostics_channel";
import { Agent, type AgentMessage, type AgentMiddleware, type AgentOptions, agentLoop, runAgentLoop } from "pi-agent";
import { type DurableSteps, durable } from "pi-agent/durable";
import { agentTool, limits } from "pi-agent/limits";
import { createChannelApi, trace } from "pi-agent/otel";
import { type Message, Type } from "pi-ai";
import { createAssistantMessage } from "pi-ai/call";
import type { TelemetryOptions } from "pi-ai/otel";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type RecordedSpans, recordSpans } from "../../../ai/test/support/recorded-spans.js";
import { MemoryEngine } from "../../test/durable/memory-engine.js";
import { call, calls, MODEL, response, type Step, scripted, stuckAfter, text } from "../../test/scripted-stream.js";
import { never, result, tool } from "../../test/scripted-tool.js";

let spans: RecordedSpans;
beforeEach(() => {
  spans = recordSpans();
});
afterEach(() => spans.stop());

type Setup = AgentOptions & { trace?: Partial<TelemetryOptions> & { name?: string } };

function createAgent(steps: Step[], { initialState, trace: how, middleware = [], ...options }: Setup = {}): Agent {
  const { streamFn } = scripted(...steps);
  const tools = [tool("a"), tool("b")];
  return new Agent({
    initialState: { model: MODEL, tools, ...initialState },
    streamFn,
    middleware: [trace({ api: spans.api, ...how }), ...middleware],
    ...options,
  });
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

  test("does not contain what the application's own hooks around a request do; those around a tool are in its span", async () => {
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
      middleware: [
        {
          name: "own",
          begin: () => ({
            wrapToolCall: (_call, execute) => {
              order.push(`inner tool in ${spans.open.join(", ")}`);
              return execute();
            },
          }),
        },
      ],
    });
    await agent.prompt("hi");
    expect(order).toEqual([
      "request in invoke_agent",
      "tool in invoke_agent",
      "inner tool in invoke_agent, execute_tool a",
      "request in invoke_agent",
    ]);
  });

  test("of the functions of the loop is the same", async () => {
    const config = { model: MODEL, convertToLlm: (messages: AgentMessage[]) => messages as Message[] };
    const context = { systemPrompt: "", messages: [], tools: [tool("a")] };
    const prompt: AgentMessage = { role: "user", content: "hi", timestamp: 1 };
    const { streamFn } = scripted(calls("a"));
    const middleware = [trace({ api: spans.api, name: "loop" })];
    await agentLoop([prompt], context, { ...config, middleware, sessionId: "c1" }, undefined, streamFn).result();
    expect(spans.ended.map(({ name }) => name)).toEqual([
      "chat scripted-1",
      "execute_tool a",
      "chat scripted-1",
      "invoke_agent loop",
    ]);
    expect(named("invoke_agent loop")[0]?.attributes).toMatchObject({
      "gen_ai.conversation.id": "c1",
      "gen_ai.usage.input_tokens": 14,
    });
  });

  test("ends with the error of a hook that a function of the loop throws", async () => {
    const config = { model: MODEL, convertToLlm: () => Promise.reject(new Error("no")) };
    const context = { systemPrompt: "", messages: [], tools: [] };
    const middleware = [trace({ api: spans.api })];
    const running = runAgentLoop([], context, { ...config, middleware }, () => {}, undefined, scripted().streamFn);
    await expect(running).rejects.toThrow("no");
    expect(spans.open).toEqual([]);
    expect(named("invoke_agent")[0]?.failure).toBeDefined();
  });

  test("is recorded by each of two traces, whichever hook is set later", async () => {
    const other = createChannelApi({
      ...diagnosticsChannel,
      channel: (name) => diagnosticsChannel.channel(`2.${name}`),
    });
    const second: unknown[] = [];
    const listen = (span: unknown): void => void second.push(span);
    diagnosticsChannel.subscribe("2.pi.span.end", listen);
    const agent = createAgent([calls("a")], {
      middleware: [trace({ api: other }), trace({ api: spans.api, name: "third" })],
    });
    agent.wrapModelCall = (request, send) => send(request);
    await agent.prompt("hi");
    diagnosticsChannel.unsubscribe("2.pi.span.end", listen);
    expect(second).toHaveLength(4);
    expect(named("invoke_agent")).toHaveLength(1);
    expect(named("invoke_agent third")).toHaveLength(1);
    expect(named("chat scripted-1")).toHaveLength(4);
  });

  test("shows a request that a limit refuses as the reason why the run stopped, not as a failed request", async () => {
    for (const place of ["outside", "inside"] as const) {
      spans.ended.length = 0;
      const traced = trace({ api: spans.api });
      const limited = limits({ budget: { turns: 1 } });
      const agent = createAgent([calls("a")], {});
      agent.middleware = place === "outside" ? [traced, limited] : [limited, traced];
      await agent.prompt("hi");
      expect(agent.state.stopped).toMatchObject({ by: "budget" });
      expect(named("chat scripted-1").map(({ failure }) => failure)).toEqual([undefined]);
      expect(named("invoke_agent")[0]?.failure).toBeDefined();
    }
  });

  test("shows what a limit changes in a request, as it is sent", async () => {
    const seen: unknown[] = [];
    const watch: AgentMiddleware = {
      name: "watch",
      begin: () => ({
        wrapSend: (request, send) => {
          seen.push(request.options.toolChoice);
          return send(request);
        },
      }),
    };
    const agent = createAgent([calls("a"), calls("b")], {
      middleware: [watch, limits({ budget: { turns: 2 }, lastResponse: true })],
    });
    await agent.prompt("hi");
    expect(seen).toEqual([undefined, "none"]);
    expect(named("chat scripted-1")).toHaveLength(2);
  });

  test("has a span for a request beside the conversation, whose usage counts once", async () => {
    const judge: AgentMiddleware = {
      name: "judge",
      begin: (run) => ({
        afterTurn: async ({ toolResults }) => {
          if (toolResults.length === 0) return;
          await run.request({
            model: run.model,
            context: { messages: [{ role: "user", content: "ok?", timestamp: 1 }] },
          });
        },
      }),
    };
    for (const isOutside of [true, false]) {
      spans.ended.length = 0;
      const agent = createAgent([calls("a"), text("yes")]);
      const traced = trace({ api: spans.api });
      agent.middleware = isOutside ? [judge, traced] : [traced, judge];
      await agent.prompt("hi");
      expect(named("chat scripted-1").map(({ parent }) => parent?.name)).toEqual(Array(3).fill("invoke_agent"));
      expect(named("invoke_agent")[0]?.attributes["gen_ai.usage.input_tokens"]).toBe(21);
    }
  });

  test("has a span for each request that another hook repeats", async () => {
    const failed = text("", { stopReason: "error", errorMessage: "no", error: { kind: "overloaded" }, content: [] });
    const again: AgentMiddleware = {
      name: "again",
      begin: () => ({
        wrapModelCall: async (request, send) => {
          const message = await send(request);
          return message.stopReason === "error" ? send(request) : message;
        },
      }),
    };
    const agent = createAgent([failed, text("done")], { middleware: [again] });
    await agent.prompt("hi");
    expect(named("chat scripted-1").map(({ failure }) => failure !== undefined)).toEqual([true, false]);
  });

  test("has no span for the tool of a typed output", async () => {
    const answer = response([call("1", "output", { city: "Oslo" })]);
    const agent = createAgent([calls("a"), answer], {
      initialState: { output: { schema: Type.Object({ city: Type.String() }) } },
    });
    await agent.prompt("hi");
    expect(agent.state.output).toEqual({ city: "Oslo" });
    expect(spans.ended.map(({ name }) => name).filter((name) => name.startsWith("execute_tool"))).toEqual([
      "execute_tool a",
    ]);
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
    expect(named("invoke_agent").map(({ attributes }) => attributes["gen_ai.usage.input_tokens"])).toEqual([14]);
    expect(named("invoke_agent research").map(({ attributes }) => attributes["gen_ai.usage.input_tokens"])).toEqual([
      14,
    ]);
    // Without its parent, the agent is not traced.
    spans.ended.length = 0;
    await child.prompt("again");
    expect(spans.ended).toEqual([]);
  });

  test("is not traced twice if it has a trace of its own, which joins that of the call", async () => {
    const child = createChild();
    child.middleware = [trace({ api: spans.api, name: "own" })];
    const agent = createAgent([calls("research")], { initialState: { tools: [ask(child)] }, sessionId: "c1" });
    await agent.prompt("hi");
    expect(tree().filter(([, parent]) => parent === "execute_tool research")).toEqual([
      ["invoke_agent own", "execute_tool research", "c1"],
    ]);
    expect(named("chat scripted-1")).toHaveLength(4);
    spans.ended.length = 0;
    await child.prompt("again");
    expect(named("invoke_agent own")).toHaveLength(1);
    expect(named("invoke_agent own")[0]).toMatchObject({ name: "invoke_agent own" });
    expect(named("invoke_agent own")[0]?.parent).toBeUndefined();
    expect(named("invoke_agent own")[0]?.attributes).not.toHaveProperty("gen_ai.conversation.id");
  });
});

test("two calls at the same time keep their agents apart", async () => {
  const child = () => new Agent({ initialState: { model: MODEL }, streamFn: scripted().streamFn });
  const ask = (name: string) =>
    agentTool({ name, description: "Asks", parameters: Type.Object({}), agent: () => child() });
  const agent = createAgent([calls("x", "y")], { initialState: { tools: [ask("x"), ask("y")] } });
  await agent.prompt("hi");
  for (const name of ["x", "y"]) expect(named(`invoke_agent ${name}`)[0]?.parent?.name).toBe(`execute_tool ${name}`);
});

describe("a durable run", () => {
  const prompt = async (steps: DurableSteps, messages: Step[]) => {
    const agent = new Agent({
      steps: durable(steps),
      initialState: { model: MODEL, tools: [tool("a")] },
      streamFn: scripted(...messages).streamFn,
      middleware: [trace({ api: spans.api })],
    });
    await agent.prompt({ role: "user", content: "hi", timestamp: 1 });
  };

  test("reports in each process what is new there", async () => {
    const engine = new MemoryEngine();
    await prompt(engine.start(), [calls("a"), text("done")]);
    expect(spans.ended).toHaveLength(4);
    const { length } = spans.metrics;
    await prompt(engine.start(), []);
    expect(spans.ended).toHaveLength(4);
    expect(spans.metrics).toHaveLength(length);
    // As if the process had died before its last response.
    engine.remembered.length = engine.remembered.findLastIndex(({ json }) => json?.includes('"assistant"'));
    for (const list of [spans.started, spans.ended]) list.length = 0;
    await prompt(engine.start(), [text("done")]);
    expect(spans.ended.map(({ name }) => name)).toEqual(["chat scripted-1", "invoke_agent"]);
    expect(named("invoke_agent")[0]?.attributes["gen_ai.usage.input_tokens"]).toBe(7);
    expect(spans.open).toEqual([]);
  });

  test("has no open span when its engine has failed", async () => {
    const engine = new MemoryEngine();
    const steps = engine.start();
    const run: DurableSteps["run"] = (name, work) =>
      steps.count === 3 ? Promise.reject(new Error("no database")) : steps.run(name, work);
    const failing: DurableSteps = { runId: "r", run };
    await expect(prompt(failing, [calls("a"), text("done")])).rejects.toThrow("no database");
    expect(spans.ended.length).toBeGreaterThan(1);
    expect(spans.open).toEqual([]);
    expect(named("invoke_agent")[0]?.failure).toEqual({ message: "no database" });
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

  test("is not in the name of an error, which is any text of a tool", async () => {
    const key = "sk-live-1234567890abcdefghijklmnop";
    const failing = tool("a", () =>
      Promise.reject(Object.assign(new Error("no"), { name: `With ${key} ${"x".repeat(5000)}` })),
    );
    await createAgent([calls("a")], { initialState: { tools: [failing] } }).prompt("hi");
    const type = String(named("execute_tool a")[0]?.attributes["error.type"]);
    expect(type).toMatch(/^With \[redacted\]/);
    expect(type).toHaveLength(100);
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
      options: { middleware: [{ name: "stuck", begin: () => ({ wrapToolCall: () => never() }) }] },
      aborted: "execute_tool a",
    },
    {
      title: "a hook around a request that is stuck",
      steps: [],
      options: { wrapModelCall: () => never() },
      aborted: "invoke_agent",
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

test("the error of a tool is redacted as in the transcript", async () => {
  const secret = "sk-live-0123456789abcdefghij";
  const failing = {
    ...tool("a"),
    execute: async () =>
      Promise.reject(new Error(`postgres://app:hunter2secret@db.test said ${secret} to canary-key-1`)),
  };
  const initialState = { model: MODEL, tools: [failing] };
  const options = { trace: { content: true }, initialState, getApiKey: () => "canary-key-1" };
  const agent = createAgent([calls("a")], options);
  await agent.prompt("hi");
  const shown = JSON.stringify([named("execute_tool a"), agent.state.messages]);
  expect(shown).toContain("[redacted]");
  for (const word of [secret, "hunter2secret", "canary-key-1"]) expect(shown).not.toContain(word);
});

test("what a hook throws, or a stream function, is redacted, too", async () => {
  const secret = "sk-live-0123456789abcdefghij";
  const fails = () => Promise.reject(new Error(`Bearer ${secret} was refused, and canary-key-1`));
  const options = {
    model: MODEL,
    convertToLlm: () => [],
    middleware: [trace({ api: spans.api })],
    apiKey: "canary-key-1",
  };
  const context = { systemPrompt: "", messages: [], tools: [] };
  const prompt: Message = { role: "user", content: "hi", timestamp: 1 };
  await runAgentLoop([prompt], context, options, () => {}, undefined, fails).catch(() => {});
  const throwing: AgentMiddleware = { name: "throwing", begin: () => ({ beforeRequest: fails }) };
  const hooked = { ...options, middleware: [...options.middleware, throwing] };
  await runAgentLoop([prompt], context, hooked, () => {}, undefined, scripted(text("ok")).streamFn).catch(() => {});
  const shown = JSON.stringify(spans.ended);
  expect(shown).toContain("was refused");
  for (const word of [secret, "canary-key-1"]) expect(shown).not.toContain(word);
});

test("names that a server or a model chooses are short", async () => {
  const long = "x".repeat(100_000);
  const agent = createAgent([
    { ...response([call(long, long, {})]), responseModel: long, responseId: long },
    text("ok"),
  ]);
  await agent.prompt("hi");
  const shown = JSON.stringify(spans.ended);
  expect(shown).toContain("pi.tool_call.refused");
  expect(shown.length).toBeLessThan(20_000);
});
