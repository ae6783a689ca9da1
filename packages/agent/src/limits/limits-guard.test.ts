import { Agent, type AgentOptions, type StreamFn } from "pi-agent";
import { Budget, limits } from "pi-agent/limits";
import type { Context, Model } from "pi-ai";
import { expect, test } from "vitest";
import { turns } from "../../../../test/support/patience.js";
import { call, MODEL, response, scripted, text } from "../../test/scripted-stream.js";
import { tool } from "../../test/scripted-tool.js";
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
    const broken = new Agent(limits({ budget: shared }, { streamFn: streamFn as StreamFn, initialState: { model } }));
    await broken.prompt("Hi").catch(() => {});
    expect(shared.used).toMatchObject({ turns: 1, tokens: 0 });
    const script = scripted(text("done"));
    const next = new Agent(limits({ budget: shared }, { streamFn: script.streamFn, initialState: { model } }));
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
  await new Agent(limits({ budget: shared }, options)).prompt("Hi");
  expect(requests).toBe(2);
  expect(shared.used).toMatchObject({ turns: 2, tokens: 10 });
});

test("the estimate of a request does not copy the conversation", async () => {
  const unread: boolean[] = [];
  const script = scripted(response([call("1", "look")]), text("done"));
  const { runLimits } = limits({ budget: { usd: 1 } });
  const options = {
    streamFn: script.streamFn,
    initialState: { model: MODEL, tools: [tool("look")] },
    runLimits: {
      begin: (run: Parameters<NonNullable<typeof runLimits>["begin"]>[0]) => {
        const guard = runLimits?.begin(run);
        if (!(guard instanceof LimitsGuard)) throw new Error("no guard");
        const { beforeRequest } = guard;
        guard.beforeRequest = (request, signal) => {
          const context: Context = request.context;
          const messages = run.peek(context);
          const allowed = beforeRequest.call(guard, request, signal);
          // Still the array of the run: a read of `context.messages` would have copied it.
          unread.push(run.peek(context) === messages && messages !== context.messages);
          expect(messages).toEqual(context.messages);
          return allowed;
        };
        return guard;
      },
    },
  };
  await new Agent(options).prompt("Hi");
  expect(unread).toEqual([true, true]);
});

test("a turn without an event needs no promise", () => {
  const run = {
    emit: () => undefined,
    now: () => 1,
    peek: (context: Context) => context.messages,
    hasOutput: false,
  };
  const guard = new LimitsGuard({ budgets: [new Budget({ turns: 9 })], lastResponse: false, loops: {} }, run);
  expect(guard.afterTurn(text("done"), [])).toBeUndefined();
  const context = { messages: [{ role: "user" as const, content: "Hi", timestamp: 1 }] };
  expect(guard.beforeRequest({ model: MODEL, context, options: {} }, undefined)).not.toBeInstanceOf(Promise);
});

/** A guard of the given budgets. Its clock throws after 100 readings, so that a guard that asks forever fails. */
function createGuard(...budgets: Budget[]) {
  let asked = 0;
  const now = () => {
    if (++asked > 100) throw new Error("The guard asks forever");
    return 1;
  };
  const run = { emit: () => undefined, now, peek: (context: Context) => context.messages, hasOutput: false };
  return new LimitsGuard({ budgets, lastResponse: false, loops: undefined }, run);
}

test("two requests that wait for the same budgets in a different order both wait, and both are sent", async () => {
  const dollars = new Budget({ usd: 1 });
  const tokens = new Budget({ tokens: 1000 });
  const ask = (guard: LimitsGuard, content: string, model: Partial<Model>) => {
    const request = {
      model: { ...MODEL, ...model },
      context: { messages: [{ role: "user" as const, content, timestamp: 1 }] },
      options: {},
    };
    return guard.beforeRequest(request, undefined);
  };
  // Leaves 0.1 dollars and less than 100 tokens.
  const output = { input: 0, output: 1000, cacheRead: 0, cacheWrite: 0 };
  const held = ask(createGuard(dollars, tokens), "Hi", { maxTokens: 900, cost: output });
  const input = { ...output, input: 100_000, output: 0 };
  const large = ask(createGuard(dollars, tokens), "word ".repeat(200), { maxTokens: 1 });
  const expensive = ask(createGuard(tokens, dollars), "Hi", { maxTokens: 1, cost: input });
  expect([large, expensive]).toEqual([expect.any(Promise), expect.any(Promise)]);
  await turns();
  if (!("settle" in held)) throw new Error("The first request was not allowed");
  held.settle();
  for (const waiting of [large, expensive]) {
    const allowed = await waiting;
    if (!("settle" in allowed)) throw new Error(`The request was not allowed: ${JSON.stringify(allowed)}`);
    allowed.settle();
  }
});

test("a tool call that one budget refuses is not counted by the others", () => {
  const own = new Budget({ toolCalls: 5 });
  const guard = createGuard(own, new Budget({ toolCalls: 1 }));
  const refusals = ["1", "2", "3"].map((id) => guard.beforeToolCall(call(id, "look"), tool("look")));
  expect(refusals).toEqual([undefined, expect.any(String), expect.any(String)]);
  expect(own.used.toolCalls).toBe(1);
});
