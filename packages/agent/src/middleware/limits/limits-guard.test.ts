import {
  Agent,
  type AgentMiddleware,
  type AgentOptions,
  type MiddlewareRun,
  type RunHooks,
  type StreamFn,
} from "pi-agent";
import { Budget, limits } from "pi-agent/limits";
import type { AssistantMessage, Context, Model } from "pi-ai";
import { expect, test } from "vitest";
import { turns } from "../../../../../test/support/patience.js";
import { call, MODEL, response, scripted, text } from "../../../test/scripted-stream.js";
import { tool } from "../../../test/scripted-tool.js";
import { LimitsGuard } from "./limits-guard.js";

const NO_STREAM_FUNCTION: [string, unknown][] = [
  [
    "throws",
    () => {
      throw new Error("broken");
    },
  ],
  ["rejects", async () => Promise.reject(new Error("broken"))],
  ["returns no stream", () => undefined],
  ["resolves to no stream", async () => undefined],
];

test.each(NO_STREAM_FUNCTION)(
  "the grant of a request is released when the stream function %s",
  async (_name, streamFn) => {
    // Only one request at its maximum cost fits.
    const shared = new Budget({ tokens: 250 });
    const model = { ...MODEL, maxTokens: 240 };
    // The stream function of an application in plain JavaScript may do anything.
    const broken = new Agent({
      streamFn: streamFn as StreamFn,
      initialState: { model },
      middleware: [limits({ budget: shared })],
    });
    await broken.prompt("Hi").catch(() => {});
    expect(shared.used).toMatchObject({ turns: 1, tokens: 0 });
    const script = scripted(text("done"));
    const next = new Agent({
      streamFn: script.streamFn,
      initialState: { model },
      middleware: [limits({ budget: shared })],
    });
    await next.prompt("Hi");
    expect(script.calls).toHaveLength(1);
  },
);

test("each request of a hook that sends twice is settled", async () => {
  const shared = new Budget({ tokens: 250 });
  const script = scripted(text("done"));
  let requests = 0;
  const streamFn: StreamFn = (...request) => {
    if (++requests === 1) throw new Error("broken");
    return script.streamFn(...request);
  };
  const options: AgentOptions = {
    streamFn,
    initialState: { model: { ...MODEL, maxTokens: 240 } },
    wrapModelCall: (request, send) => send(request).catch(() => send(request)),
  };
  await new Agent({ ...options, middleware: [limits({ budget: shared })] }).prompt("Hi");
  expect(requests).toBe(2);
  expect(shared.used).toMatchObject({ turns: 2, tokens: 10 });
});

/** A run without an agent, for the hooks of limits alone. */
function createRun(more: Partial<MiddlewareRun> = {}): MiddlewareRun {
  const unused = (): never => {
    throw new Error("not part of this test");
  };
  const context = { systemPrompt: "", messages: [], tools: [] };
  return {
    model: MODEL,
    context,
    root: {},
    parent: undefined,
    parentCall: undefined,
    sessionId: undefined,
    abort: unused,
    fork: unused,
    thinkingLevel: "off",
    onDelta: unused,
    signal: undefined,
    middleware: ["limits"],
    isReplaying: false,
    canAdd: true,
    hasOutput: false,
    startedAt: 0,
    now: () => 1,
    emit: () => undefined,
    peek: (asked) => asked.messages,
    partialOf: () => undefined,
    prepare: unused,
    toLlm: unused,
    request: unused,
    add: unused,
    step: (_name, work) => work("1"),
    ...more,
  };
}

test("the estimate of a request does not copy the conversation", async () => {
  const unread: boolean[] = [];
  const script = scripted(response([call("1", "look")]), text("done"));
  const look: AgentMiddleware = {
    name: "look",
    begin: (run) => ({
      wrapModelCall: (request, send) => {
        const context: Context = request.context;
        const messages = run.peek(context);
        const sent = send(request);
        // Still the array of the run: a read of `context.messages` would have copied it.
        unread.push(run.peek(context) === messages && messages !== context.messages);
        return sent;
      },
    }),
  };
  const middleware = [limits({ budget: { usd: 1 } }), look];
  await new Agent({
    streamFn: script.streamFn,
    initialState: { model: MODEL, tools: [tool("look")] },
    middleware,
  }).prompt("Hi");
  expect(unread).toEqual([true, true]);
});

test("a turn without an event needs no promise", () => {
  const options = { budgets: [new Budget({ turns: 9 })], lastResponse: false, loops: {} };
  const { afterTurn } = new LimitsGuard(options, createRun()).hooks;
  expect(
    afterTurn?.({ message: text("done"), toolResults: [], needsResponse: false, rejectedCalls: [], repeats: 0 }),
  ).toBeUndefined();
});

/** The limits of the given budgets. Their clock throws after 100 readings, so that a request that asks forever fails. */
function createGuard(...budgets: Budget[]): RunHooks {
  let asked = 0;
  const now = () => {
    if (++asked > 100) throw new Error("The guard asks forever");
    return 1;
  };
  return new LimitsGuard({ budgets, lastResponse: false, loops: undefined }, createRun({ now })).hooks;
}

test("two requests that wait for the same budgets in a different order both wait, and both are sent", async () => {
  const dollars = new Budget({ usd: 1 });
  const tokens = new Budget({ tokens: 1000 });
  const sent: string[] = [];
  const ask = (hooks: RunHooks, content: string, model: Partial<Model>, response: Promise<AssistantMessage>) => {
    const request = {
      model: { ...MODEL, ...model },
      context: { messages: [{ role: "user" as const, content, timestamp: 1 }] },
      options: {},
    };
    return hooks.wrapModelCall?.(request, () => {
      sent.push(content.slice(0, 5));
      return response;
    });
  };
  // Leaves 0.1 dollars and less than 100 tokens.
  const output = { input: 0, output: 1000, cacheRead: 0, cacheWrite: 0 };
  const end = Promise.withResolvers<AssistantMessage>();
  const held = ask(createGuard(dollars, tokens), "held", { maxTokens: 900, cost: output }, end.promise);
  const input = { ...output, input: 100_000, output: 0 };
  const done = Promise.resolve(text("done"));
  const large = ask(createGuard(dollars, tokens), "word ".repeat(200), { maxTokens: 1 }, done);
  const expensive = ask(createGuard(tokens, dollars), "Hi", { maxTokens: 1, cost: input }, done);
  await turns();
  expect(sent).toEqual(["held"]);
  end.resolve({ ...text("done"), usage: { ...text("done").usage, totalTokens: 0 } });
  await Promise.all([held, large, expensive]);
  expect(sent.toSorted()).toEqual(["Hi", "held", "word "]);
});

test("a tool call that one budget refuses is not counted by the others", async () => {
  const own = new Budget({ toolCalls: 5 });
  const { beforeToolCall } = createGuard(own, new Budget({ toolCalls: 1 }));
  const context = { systemPrompt: "", messages: [] };
  const asked = ["1", "2", "3"].map((id) =>
    beforeToolCall?.({ assistantMessage: text(""), toolCall: call(id, "look"), args: {}, context }),
  );
  const refused = { block: true, reason: expect.any(String) };
  expect(await Promise.all(asked)).toEqual([undefined, refused, refused]);
  expect(own.used.toolCalls).toBe(1);
});
