import { AssistantMessageEventStream } from "pi-ai";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { END, sse } from "../../test/support/plain-adapter.js";
import { BODY, good, MODEL, post, setUp } from "../../test/support/proxy-setup.js";
import type { Script } from "../../test/support/scripted-fetch.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PROMPT = "x".repeat(400); // 110 tokens with what frames a request
const asking = post.bind(undefined, {
  ...BODY,
  context: { messages: [{ role: "user", content: PROMPT, timestamp: 1 }] },
});

/** The usage of a client that leaves after this many chunks; it stays if there are fewer. */
async function billAfter(pieces: number, script: Script) {
  const { handler, usages } = setUp({ scripts: [script] });
  const reader = (await handler(asking())).body?.getReader();
  for (let count = 0; count < pieces && !(await reader?.read())?.done; ) count++;
  await reader?.cancel();
  await vi.advanceTimersByTimeAsync(10);
  expect(usages).toHaveLength(1);
  return usages[0];
}

describe("onUsage reports complete usage without an estimate", () => {
  it("for a response that is complete and was counted", async () => {
    const bill = await billAfter(100, good);
    expect(bill).toMatchObject({ complete: true, clientLeft: false, message: { usage: { input: 5, output: 2 } } });
    expect(bill).not.toHaveProperty("estimate");
  });

  it("for a request that the provider refused", async () => {
    const bill = await billAfter(100, { status: 400, pieces: ["{}"] });
    expect(bill).toMatchObject({ complete: true, message: { stopReason: "error", usage: { totalTokens: 0 } } });
    expect(bill).not.toHaveProperty("estimate");
  });
});

describe("onUsage reports incomplete usage with an estimate", () => {
  const words = sse({ text: "y".repeat(40) });

  it("when the client leaves after the provider has counted the prompt", async () => {
    const script = {
      pieces: [sse({ usage: { input: 7, cacheRead: 3, output: 1 } }), words],
      after: "silence",
    } as const;
    expect(await billAfter(3, script)).toMatchObject({
      complete: false,
      clientLeft: true,
      message: { usage: { input: 7, cacheRead: 3, output: 1 } },
      // The provider's counts stay, but more was streamed than it had counted.
      estimate: { input: 7, cacheRead: 3, output: 13, totalTokens: 23, cost: { total: expect.closeTo(0.000023, 10) } },
    });
  });

  it("when the client leaves a provider that counts at the end", async () => {
    expect(await billAfter(3, { pieces: [words], after: "silence" })).toMatchObject({
      complete: false,
      clientLeft: true,
      message: { usage: { totalTokens: 0 } },
      estimate: { input: 110, output: 13, totalTokens: 123 },
    });
  });

  it("when the client leaves before the first event", async () => {
    const { handler, usages } = setUp({ scripts: ["silence"] });
    await (await handler(asking())).body?.cancel();
    await vi.advanceTimersByTimeAsync(10);
    expect(usages).toMatchObject([{ complete: false, clientLeft: true, estimate: { input: 110, output: 0 } }]);
  });

  it("when the response breaks off", async () => {
    const script = { pieces: [sse({ usage: { input: 7 } }), words, new Error("reset")] };
    expect(await billAfter(100, script)).toMatchObject({
      complete: false,
      clientLeft: false,
      estimate: { input: 7, output: 13 },
    });
  });

  it("when the provider sends no counts", async () => {
    expect(await billAfter(100, { pieces: [words, END] })).toMatchObject({
      complete: false,
      clientLeft: false,
      message: { stopReason: "stop" },
      estimate: { input: 110, output: 13 },
    });
  });
});

it("ignores the counts in a client's conversation", async () => {
  const counted = {
    role: "assistant",
    content: [{ type: "text", text: PROMPT }],
    api: "plain",
    provider: "test-provider",
    model: "m",
    stopReason: "stop",
    timestamp: 1,
  };
  for (const usage of [undefined, null, { totalTokens: 1 }, { totalTokens: -500 }, { totalTokens: "no" }]) {
    const { handler, usages } = setUp({ scripts: ["silence"] });
    const messages = [{ role: "user", content: PROMPT, timestamp: 1 }, { ...counted, usage }, ...BODY.context.messages];
    const response = await handler(post({ ...BODY, context: { systemPrompt: PROMPT, messages } }));
    await response.body?.cancel();
    await vi.advanceTimersByTimeAsync(10);
    expect(usages).toMatchObject([{ estimate: { input: 330 } }]);
  }
});

it("reports a response in full that completed while the client left", async () => {
  const { handler, usages } = setUp();
  const reader = (await handler(post())).body?.getReader();
  await reader?.read();
  await vi.advanceTimersByTimeAsync(10);
  await reader?.cancel();
  await vi.advanceTimersByTimeAsync(10);
  expect(usages).toMatchObject([{ clientLeft: true, complete: true, message: { usage: { totalTokens: 7 } } }]);
});

it.each([
  ["ends without an event of its own", (stream: AssistantMessageEventStream) => stream.end()],
  [
    "breaks",
    (stream: AssistantMessageEventStream) => {
      stream.result = () => Promise.reject(new Error("The event stream ended without a result"));
      stream.end();
    },
  ],
])("reports a stream that %s, and ends the client's stream with an error", async (_, finish) => {
  const partial = { role: "assistant", content: [], usage: { input: 5, output: 0, cacheRead: 0, cacheWrite: 0 } };
  const stream = new AssistantMessageEventStream();
  stream.push({ type: "start", partial: partial as never }); // the fields that are read
  finish(stream);
  const kept: Promise<unknown>[] = [];
  const { handler, usages } = setUp({ streamFn: () => stream });
  const response = await handler(post(), { waitUntil: (promise) => void kept.push(promise) });
  expect(await response.text()).toContain('"errorMessage":"The event stream ended without a result"');
  await Promise.all(kept);
  expect(usages).toMatchObject([{ complete: false, message: { stopReason: "error", usage: { input: 5 } } }]);
  expect(vi.getTimerCount()).toBe(0);
});

it("accepts a stream that ends with a result and no terminal event", async () => {
  const { handler, usages } = setUp({
    streamFn: () => {
      const stream = new AssistantMessageEventStream();
      stream.end({
        role: "assistant",
        content: [],
        api: "plain",
        provider: "test-provider",
        model: "m",
        stopReason: "length",
        usage: {
          input: 1,
          output: 1,
          cacheRead: 0,
          cacheWrite: 0,
          totalTokens: 2,
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
        },
        timestamp: 1,
      });
      return stream;
    },
  });
  expect(await (await handler(post())).text()).toMatch(/^data: \{"type":"done","reason":"length"/);
  expect(usages).toMatchObject([{ complete: true, model: MODEL }]);
});

it("lets a worker go when onUsage throws", async () => {
  const kept: Promise<unknown>[] = [];
  const fails = (): never => {
    throw new Error("no");
  };
  const { handler } = setUp({ onUsage: fails, onError: fails });
  await (await handler(post(), { waitUntil: (promise) => void kept.push(promise) })).text();
  await Promise.all(kept);
  expect(kept).toHaveLength(1);
});
