/** Losses of counts, traces and outputs that once happened where two features met. Each title says what was lost. */
import type { Agent, AgentMiddleware, AgentOptions } from "pi-agent";
import { toAgUiStream } from "pi-agent/ag-ui";
import { agentTool, Budget, limits, sumUsage } from "pi-agent/limits";
import { trace } from "pi-agent/otel";
import { toUIMessageStream } from "pi-agent/ui-stream";
import { type Model, Type } from "pi-ai";
import { describe, expect, test } from "vitest";
import { SpanRecorder } from "./doubles.js";
import { readAll } from "./feature.js";
import { call, create, ruled, say, working } from "./kit.js";
import { failed, MODEL } from "./server.js";

const OUTPUT = { schema: Type.Object({ city: Type.String() }), mode: "tool" as const };

/** An agent whose tool is an agent that responds with a text. */
function createParent(options: AgentOptions = {}): Agent {
  const child = agentTool({
    name: "child",
    description: "Asks a child",
    parameters: Type.Object({ question: Type.String() }),
    agent: () => create(ruled(() => say("the child responds"))),
  });
  const model = ruled((index) => (index === 0 ? call("child", { question: "?" }, "c1") : say("done")));
  return create(model, { ...options, initialState: { tools: [child] } });
}

describe("limits", () => {
  test("S6: of two budgets, the inner one was dropped", async () => {
    const [outer, inner] = [new Budget({ turns: 50 }), new Budget({ turns: 1 })];
    const model = working(4);
    const agent = create(model, { middleware: [limits({ budget: outer }), limits({ budget: inner })] });
    await agent.prompt("Hi");
    expect([model.requests.length, outer.used.turns, inner.used.turns]).toEqual([1, 1, 1]);
    expect(agent.state.stopped).toMatchObject({ limit: "turns", most: 1 });
  });

  test.each(["trace first", "limits first"])("S4: a request that was refused had a failed span (%s)", async (order) => {
    const recorder = new SpanRecorder();
    const model = working(9);
    const list = [trace({ api: recorder.api }), limits({ budget: { turns: 2 } })];
    const agent = create(model, { middleware: order === "trace first" ? list : list.reverse() });
    await agent.prompt("Hi");
    expect([model.requests.length, recorder.named("chat").length]).toEqual([2, 2]);
    expect(recorder.named("chat").filter(({ isFailed }) => isFailed)).toEqual([]);
  });

  test("S24: a hook inside of limits did not see that the last request allows no tools", async () => {
    const seen: unknown[] = [];
    const model = ruled((index, { options }) =>
      options.toolChoice === "none" ? say("that is all") : call("work", { n: index }, `c${index}`),
    );
    const look: AgentMiddleware = {
      name: "look",
      begin: () => ({
        wrapModelCall: (request, send) => {
          seen.push(request.options.toolChoice);
          return send(request);
        },
      }),
    };
    const agent = create(model, { middleware: [limits({ budget: { turns: 2 }, lastResponse: true }), look] });
    await agent.prompt("Hi");
    expect(seen).toEqual([undefined, "none"]);
    expect(model.requests.map(({ options }) => options.toolChoice)).toEqual(seen);
  });

  test("S25: a response from a cache counted", async () => {
    const budget = new Budget({ turns: 1 });
    const model = working(0);
    const agent = create(model, { middleware: [limits({ budget })], wrapModelCall: async () => say("cached") });
    await agent.prompt("Hi");
    await agent.prompt("Hi");
    expect([model.requests.length, budget.used.turns, agent.state.errorMessage]).toEqual([0, 0, undefined]);
  });

  test("T8: calls counted that a hook of the application, or another limit, had blocked", async () => {
    const budget = new Budget({ toolCalls: 10 });
    const blocked = create(working(2), {
      middleware: [limits({ budget })],
      beforeToolCall: async () => ({ block: true }),
    });
    await blocked.prompt("Hi");
    const refused = create(working(2), { middleware: [limits({ budget }), limits({ budget: { toolCalls: 0 } })] });
    await refused.prompt("Hi");
    expect(budget.used.toolCalls).toBe(0);
  });

  test("T3: pages were told a limit only as the text of an error", async () => {
    const options = { middleware: [limits({ budget: { turns: 1 } })] };
    const one = create(working(9), options);
    const chunks = await readAll(toUIMessageStream(one, { run: () => one.prompt("Hi") }));
    expect(JSON.stringify(chunks)).toContain('"data-run-stopped","data":{"by":"budget","limit":"turns"');
    const other = create(working(9), options);
    const ids = { threadId: "t", runId: "r" };
    const events = await readAll(toAgUiStream(other, { ...ids, run: () => other.prompt("Hi") }));
    expect(JSON.stringify(events)).toContain('"run_stopped","value":{"by":"budget","limit":"turns"');
  });
});

describe("the typed output", () => {
  const outputModel = () =>
    ruled((index) => (index === 0 ? call("work", { n: 1 }, "c1") : call("output", { city: "Oslo" }, `o${index}`)));

  test("S11a: a budget of tool calls refused the tool of the output", async () => {
    const budget = new Budget({ toolCalls: 1 });
    const agent = create(outputModel(), { initialState: { output: OUTPUT }, middleware: [limits({ budget })] });
    await agent.prompt("Hi");
    expect(agent.state.output).toEqual({ city: "Oslo" });
    expect([agent.state.errorMessage, budget.used.toolCalls]).toEqual([undefined, 1]);
  });

  test("S11b: hooks of tool calls and traces showed the tool of the output", async () => {
    const recorder = new SpanRecorder();
    const before: string[] = [];
    const agent = create(outputModel(), {
      initialState: { output: OUTPUT },
      middleware: [trace({ api: recorder.api })],
      beforeToolCall: async ({ toolCall }) => void before.push(toolCall.name),
    });
    await agent.prompt("Hi");
    expect(before).toEqual(["work"]);
    expect(recorder.named("execute_tool").map(({ name }) => name)).toEqual(["execute_tool work"]);
  });

  test("S12b: a second model got the mode of the first one", async () => {
    const claude: Model = { ...MODEL, id: "claude-sonnet-4-5", provider: "anthropic", api: "anthropic-messages" };
    const llama: Model = { ...MODEL, id: "llama-3-8b", provider: "groq", api: "openai-completions" };
    const output = { schema: OUTPUT.schema };
    const alone = ruled(() => call("output", { city: "Oslo" }, "o"));
    await create(alone, { initialState: { model: llama, output } }).prompt("Hi");
    const model = ruled((_, request) =>
      request.model.id === llama.id ? call("output", { city: "Oslo" }, "o") : failed("overloaded", "Busy"),
    );
    const agent = create(model, {
      initialState: { model: claude, output },
      wrapModelCall: async (request, send) => {
        const response = await send(request);
        return response.stopReason === "error" ? send({ ...request, model: llama }) : response;
      },
    });
    await agent.prompt("Hi");
    const shape = (request?: (typeof model.requests)[number]) => [
      request?.options.outputFormat,
      request?.options.toolChoice,
      request?.context.tools?.map(({ name }) => name),
    ];
    expect(shape(model.requests[1])).toEqual(shape(alone.requests[0]));
  });
});

describe("traces", () => {
  test("S5: a hook of the application, set after a trace, removed its spans", async () => {
    const recorder = new SpanRecorder();
    const agent = create(working(0), { middleware: [trace({ api: recorder.api })] });
    agent.wrapModelCall = (request, send) => send(request);
    await agent.prompt("Hi");
    expect(recorder.named("chat").length).toBe(1);
  });

  test("S5b: of two traces, the end of the first one was the end of the second", async () => {
    const [one, other] = [new SpanRecorder(), new SpanRecorder()];
    const list = [trace({ api: one.api }), trace({ api: other.api })];
    const agent = create(working(0), { middleware: list });
    await agent.prompt("Hi");
    for (const { spans } of [one, other])
      expect(spans.map(({ name }) => name)).toEqual(["invoke_agent", "chat scripted-1"]);
  });

  test("S18: agents that tools ran were not traced, and their usage was missing", async () => {
    const recorder = new SpanRecorder();
    const agent = createParent({ middleware: [trace({ api: recorder.api })] });
    await agent.prompt("Hi");
    expect(recorder.named("chat").length).toBe(3);
    expect(recorder.sum("chat", "pi.usage.cost")).toBe(sumUsage(agent.state.messages).cost.total);
  });
});
