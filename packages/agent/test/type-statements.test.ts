/** What the docstrings of the public types say, where no test of a feature says it. */
import {
  Agent,
  type AgentMiddleware,
  type AgentOptions,
  type AgentToolContext,
  type AnyAgentTool,
  runAgentLoop,
  runToolCall,
} from "pi-agent";
import { agentTool } from "pi-agent/limits";
import { getModel, type SimpleStreamOptions, streamSimple, Type } from "pi-ai";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { loadLoop } from "./load-loop.js";
import { call, calls, MODEL, type Step, scripted, text, user } from "./scripted-stream.js";
import { never, result, tool } from "./scripted-tool.js";

function createAgent(steps: Step[], tools: AnyAgentTool[], options: AgentOptions = {}) {
  const stream = scripted(...steps);
  return { agent: new Agent({ initialState: { model: MODEL, tools }, streamFn: stream.streamFn, ...options }), stream };
}

beforeAll(loadLoop);
afterEach(() => {
  vi.useRealTimers();
});

test("each execution of a wrapped tool has the whole timeout", async () => {
  vi.useFakeTimers();
  const order: string[] = [];
  const { agent } = createAgent([calls("a")], [tool("a", () => never(), { toolTimeoutMs: 50 })], {
    wrapToolCall: (_call, execute) =>
      execute().catch(() => {
        order.push("again");
        return execute();
      }),
  });
  const prompted = agent.prompt("hi").then(() => order.push("over"));
  await vi.advanceTimersByTimeAsync(50);
  expect(order).toEqual(["again"]);
  await vi.advanceTimersByTimeAsync(49);
  expect(order).toEqual(["again"]);
  await vi.advanceTimersByTimeAsync(1);
  await prompted;
  expect(agent.state.messages[2]).toMatchObject({ content: [{ text: "Tool a timed out after 50 ms" }] });
});

test("the duration of a call is that of its executions and of wrapToolCall, not of other hooks", async () => {
  let time = 0;
  const slow = tool("a", async () => {
    time += 100;
    return result("a");
  });
  const { agent } = createAgent([calls("a", "none")], [slow], {
    now: () => time,
    beforeToolCall: async () => {
      time += 1000;
    },
    wrapToolCall: async (_call, execute) => {
      time += 10;
      await execute();
      return execute();
    },
    afterToolCall: async () => {
      time += 1000;
      return undefined;
    },
  });
  await agent.prompt("hi");
  const [first, unknown] = agent.state.messages.filter(({ role }) => role === "toolResult");
  expect(first).toMatchObject({ durationMs: 210 });
  expect(unknown).not.toHaveProperty("durationMs");
});

test("a tool outside of a run has no run, and can ask nobody", async () => {
  let context: AgentToolContext | undefined;
  const looking = tool("a", async (_id, _args, _signal, _onUpdate, given) => {
    context = given;
    return result("a");
  });
  const assistantMessage = calls("a");
  await runToolCall(call("1", "a"), {
    tools: [looking],
    assistantMessage,
    context: { systemPrompt: "", messages: [], tools: [tool("a", () => expect.unreachable("not used"))] },
  });
  expect([context?.run, context?.ask, context?.pausing]).toEqual([undefined, undefined, undefined]);
});

test("a request beside the conversation has the options of the run, without those of the conversation", async () => {
  const ofConversation = {
    temperature: 0.5,
    topP: 0.5,
    seed: 1,
    stopSequences: ["x"],
    verbosity: "low",
    maxTokens: 5,
    toolChoice: "none",
    parallelToolCalls: false,
    outputFormat: { schema: {} },
    contextManagement: { edits: [] },
  };
  const shared = { headers: { "x-team": "a" }, timeoutMs: 5000, maxRetries: 1, metadata: { user_id: "me" } };
  const asking: AgentMiddleware = {
    name: "m",
    begin: (run) => ({
      afterTurn: async () => {
        const messages = [user("Sum up")];
        await run.request({ model: run.model, context: { messages }, options: { maxRetries: 2 } });
        await run.request({ model: { ...run.model, provider: "other" }, context: { messages } });
      },
    }),
  };
  const { agent, stream } = createAgent([], [], {
    // Values as plain JavaScript passes them: only the names matter here.
    streamOptions: { ...ofConversation, ...shared } as unknown as NonNullable<AgentOptions["streamOptions"]>,
    getApiKey: (provider) => `key of ${provider}`,
    sessionId: "s",
    thinkingBudgets: { high: 5 },
    middleware: [asking],
  });
  agent.state.thinkingLevel = "high";
  await agent.prompt("hi");
  const [turn, beside, foreign] = stream.calls.map(({ options }) => options);
  expect(stream.calls[1]?.context.messages).toEqual([user("Sum up")]);
  expect(turn).toMatchObject({ ...ofConversation, ...shared, apiKey: "key of test", reasoning: "high" });
  expect(beside).toMatchObject({ ...shared, maxRetries: 2, apiKey: "key of test" });
  const names = [...Object.keys(ofConversation), "sessionId", "thinkingBudgets", "reasoning"];
  const has = (options: SimpleStreamOptions | undefined): string[] => names.filter((name) => name in (options ?? {}));
  expect([has(turn), has(beside), has(foreign)]).toEqual([names, [], []]);
  expect(foreign).toMatchObject({ timeoutMs: 5000, apiKey: "key of other" });
  expect(foreign).not.toHaveProperty("headers");
  expect(foreign).not.toHaveProperty("metadata");
});

test("the conversation is converted once for each request, and a key that is none leaves that of the options", async () => {
  let conversions = 0;
  const { agent, stream } = createAgent([calls("a")], [tool("a")], {
    convertToLlm: () => {
      conversions++;
      return [user("hi")];
    },
    getApiKey: () => undefined,
    streamOptions: { apiKey: "static" },
  });
  await agent.prompt("hi");
  expect(conversions).toBe(2);
  expect(stream.calls.map(({ options }) => options.apiKey)).toEqual(["static", "static"]);
});

test("a tool may pass on a hundred questions of others", async () => {
  let asked = 0;
  const asking = tool("a", async (_id, _args, _signal, _onUpdate, context) => {
    const answer = async () => ({ approved: true });
    for (; asked < 200; asked++) await context?.pausing?.askAll([{ message: `Question ${asked}` }], { answer });
    return result("a");
  });
  const { agent } = createAgent([calls("a")], [asking]);
  await agent.prompt("hi");
  expect(asked).toBe(100);
  expect(agent.state.messages[2]).toMatchObject({
    isError: true,
    content: [{ text: "The tool has asked 100 questions, which is the limit of a call" }],
  });
});

test("what a child inherits does not store what the child has queued", async () => {
  const stored: unknown[] = [];
  const storing: AgentMiddleware = {
    name: "store",
    inherit: true,
    begin: () => ({}),
    queue: { attach: () => [], add: async ({ message }) => void stored.push(message), clear: () => {} },
  };
  const child = new Agent({ initialState: { model: MODEL }, streamFn: scripted(text("child")).streamFn });
  child.steer(user("of the child"));
  const ask = agentTool({ name: "a", description: "Asks", parameters: Type.Object({}), agent: () => child });
  const { agent } = createAgent([calls("a")], [ask], { middleware: [storing] });
  agent.followUp(user("own"));
  await agent.prompt("hi");
  expect(stored).toEqual([user("own")]);
  expect(child.state.messages).toContainEqual(user("of the child"));
});

test("the details of a result, and its output without a server tool, are never sent to a model", async () => {
  const bodies: string[] = [];
  const told: AnyAgentTool = tool("a", async () =>
    result("for the model", { details: { secret: "for the host" }, output: { field: "of a server tool" } }),
  );
  const stream = scripted(calls("a"));
  const agent = new Agent({
    initialState: { model: getModel("anthropic", "claude-sonnet-4-6"), tools: [told] },
    streamFn: (model, context, options) =>
      stream.calls.length === 0 ? stream.streamFn(model, context, options) : streamSimple(model, context, options),
    streamOptions: {
      apiKey: "key",
      maxRetries: 0,
      fetch: async (_url, init) => {
        bodies.push(String(init?.body));
        return new Response("", { status: 400 });
      },
    },
  });
  await agent.prompt("hi");
  expect(agent.state.messages[2]).toMatchObject({ details: { secret: "for the host" } });
  expect(bodies).toHaveLength(1);
  expect(bodies[0]).toContain("for the model");
  expect(bodies[0]).not.toMatch(/for the host|of a server tool/);
});

test("an error of the event sink reaches the tool that emits, and ends the run", async () => {
  const seen: unknown[] = [];
  const emitting = tool("a", async (id, _args, _signal, _onUpdate, context) => {
    try {
      await context?.run?.emit({
        type: "child_event",
        parentToolCallId: id,
        toolName: "a",
        event: { type: "turn_start" },
      });
    } catch (error) {
      seen.push(error);
    }
    return result("a");
  });
  const disk = new Error("disk full");
  const run = runAgentLoop(
    [user("hi")],
    { systemPrompt: "", messages: [], tools: [emitting] },
    { model: MODEL, convertToLlm: () => [] },
    ({ type }) => (type === "child_event" ? Promise.reject(disk) : undefined),
    undefined,
    scripted(calls("a")).streamFn,
  );
  await expect(run).rejects.toBe(disk);
  expect(seen).toEqual([disk]);
});
