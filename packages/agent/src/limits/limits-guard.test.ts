import { Agent, type AgentOptions, type StreamFn } from "pi-agent";
import { Budget, limits } from "pi-agent/limits";
import type { Context } from "pi-ai";
import { expect, test } from "vitest";
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

test("a hook that sends again settles each request", async () => {
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
          // The array of the run itself: nobody has read the messages of the context.
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

test("a turn in which nothing is reported needs no promise", () => {
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
