import {
  type AssistantMessage,
  type AssistantMessageEvent,
  AssistantMessageEventStream,
  type AssistantResponseStream,
  fauxAssistantMessage,
  type StreamFn,
  streamSimple,
} from "pi-ai";
import { watchCache } from "pi-ai/cache";
import { composeStreams, mapStream, type StreamMapping, type StreamMiddleware } from "pi-ai/middleware";
import { createScriptedStreamFn } from "pi-ai/testing";
import { describe, expect, test, vi } from "vitest";
import { turns } from "../../../../test/support/patience.js";
import { createOtherModel } from "../../test/models.js";

const MODEL = createOtherModel("scripted");
const CONTEXT = { messages: [{ role: "user" as const, content: "Hi", timestamp: 1 }] };
const MESSAGE = fauxAssistantMessage("Hello");
const START: AssistantMessageEvent = { type: "start", partial: MESSAGE };
const DELTA: AssistantMessageEvent = { type: "text_delta", contentIndex: 0, delta: "a", partial: MESSAGE };
const DONE: AssistantMessageEvent = { type: "done", reason: "stop", message: MESSAGE };

const mark = (message: AssistantMessage): AssistantMessage => ({ ...message, responseId: "mapped" });
const MARKED: StreamMapping = { final: mark };

async function read(stream: AsyncIterable<AssistantMessageEvent>): Promise<AssistantMessageEvent[]> {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** A stream of another library: a generator with a result of its own. */
function foreign(
  events: () => AsyncGenerator<AssistantMessageEvent>,
  result = async () => MESSAGE,
): AssistantResponseStream {
  return Object.assign(events(), { result });
}

describe("the functions of a mapping", () => {
  test("get each event and the message once, however the stream is read", async () => {
    for (const readResult of [
      (stream: AssistantMessageEventStream) => stream.result(),
      (stream: AssistantMessageEventStream) => stream.resultOnly(),
      async (stream: AssistantMessageEventStream) => {
        await read(stream);
        return stream.result();
      },
      async (stream: AssistantMessageEventStream) => {
        const result = stream.result();
        expect((await read(stream)).at(-1)).toMatchObject({ message: { responseId: "mapped" } });
        return result;
      },
    ]) {
      const source = new AssistantMessageEventStream();
      const seen: string[] = [];
      const stream = mapStream(source, {
        onEvent: ({ type }) => void seen.push(type),
        final: (message) => {
          seen.push("final");
          return mark(message);
        },
        onError: () => seen.push("error"),
      });
      for (const event of [START, DELTA, DONE]) source.push(event);
      expect(await readResult(stream)).toMatchObject({ responseId: "mapped" });
      expect(seen).toEqual(["start", "text_delta", "final"]);
    }
  });

  test("may return other events and another message, and need not return anything", async () => {
    const source = new AssistantMessageEventStream();
    const stream = mapStream(source, {
      onEvent: (event) => (event.type === "text_delta" ? { ...event, delta: "*" } : undefined),
    });
    for (const event of [START, DELTA, DONE]) source.push(event);
    expect(await read(stream)).toEqual([START, { ...DELTA, delta: "*" }, DONE]);
    expect(await stream.result()).toBe(MESSAGE);
  });

  test("see a failed response, which stays one", async () => {
    const source = new AssistantMessageEventStream();
    const stream = mapStream(source, MARKED);
    const error = fauxAssistantMessage([], { stopReason: "error", errorMessage: "down" });
    source.push({ type: "error", reason: "error", error });
    expect(await read(stream)).toMatchObject([{ type: "error", reason: "error", error: { responseId: "mapped" } }]);
  });

  test.each(["onEvent", "final"] as const)("whose %s throws fail the reading, and leave the source", async (name) => {
    const onAbandoned = vi.fn();
    const source = new AssistantMessageEventStream({ onAbandoned });
    const onError = vi.fn();
    const stream = mapStream(source, {
      [name]: () => {
        throw new Error("A bug");
      },
      onError,
    });
    source.push(START);
    await turns();
    expect(onAbandoned).toHaveBeenCalledTimes(name === "onEvent" ? 1 : 0);
    source.push(DONE);
    await expect(read(stream)).rejects.toThrow("A bug");
    await expect(stream.result()).rejects.toThrow("A bug");
    expect(onError).toHaveBeenCalledTimes(1);
  });
});

describe("a reader that leaves", () => {
  test("aborts the request, and the final message is still seen", async () => {
    const seen: AssistantMessage[] = [];
    const aborted = fauxAssistantMessage([], { stopReason: "aborted", errorMessage: "left" });
    const source: AssistantMessageEventStream = new AssistantMessageEventStream({
      onAbandoned: () => source.push({ type: "error", reason: "aborted", error: aborted }),
    });
    const stream = mapStream(mapStream(source, {}), { final: (message) => void seen.push(message) });
    source.push(START);
    for await (const event of stream) if (event.type === "start") break;
    await turns();
    expect(seen).toEqual([aborted]);
    expect(await stream.result()).toBe(aborted);
  });

  test("aborts a source that waits for the reader", async () => {
    const onAbandoned = vi.fn();
    const source = new AssistantMessageEventStream({ onAbandoned });
    const stream = mapStream(source, {});
    for (let count = 0; count < 1000; count++) source.push(DELTA);
    const reader = stream[Symbol.asyncIterator]();
    await reader.next();
    await reader.return?.();
    expect(onAbandoned).toHaveBeenCalledTimes(1);
  });

  test("does not abort while a caller awaits the result", async () => {
    const onAbandoned = vi.fn();
    const source = new AssistantMessageEventStream({ onAbandoned });
    const stream = mapStream(source, MARKED);
    const result = stream.result();
    source.push(START);
    for await (const _ of stream) break;
    source.push(DONE);
    expect(await result).toMatchObject({ responseId: "mapped" });
    expect(onAbandoned).not.toHaveBeenCalled();
  });

  test("ends a generator", async () => {
    const ended = vi.fn();
    const stream = mapStream(
      foreign(async function* () {
        try {
          for (;;) yield DELTA;
        } finally {
          ended();
        }
      }),
      {},
    );
    for await (const _ of stream) break;
    await turns();
    expect(ended).toHaveBeenCalledTimes(1);
  });
});

test("a slow reader slows the source down, and a caller of result() does not", async () => {
  let sent = 0;
  const endless = async function* (): AsyncGenerator<AssistantMessageEvent> {
    for (; sent < 5000; sent++) yield DELTA;
    yield DONE;
  };
  const stream = mapStream(foreign(endless), {});
  await turns();
  expect(sent).toBeLessThan(1000);
  expect(await stream.result()).toBe(MESSAGE);
  expect(sent).toBe(5000);
});

describe("a stream of another library", () => {
  test("passes on its own result, which may settle later", async () => {
    const late = Promise.withResolvers<AssistantMessage>();
    const stream = mapStream(
      foreign(
        async function* () {
          yield DONE;
        },
        () => late.promise,
      ),
      MARKED,
    );
    const reading = read(stream);
    await turns();
    late.resolve({ ...MESSAGE, responseModel: "other" });
    expect(await reading).toMatchObject([{ message: { responseModel: "other", responseId: "mapped" } }]);
  });

  test("is given up after two minutes, or when its result fails: then the last event counts", async () => {
    vi.useFakeTimers();
    try {
      const once = async function* (): AsyncGenerator<AssistantMessageEvent> {
        yield DONE;
      };
      const hanging = mapStream(
        foreign(once, () => new Promise(() => {})),
        MARKED,
      ).result();
      await vi.advanceTimersByTimeAsync(120_000);
      expect(await hanging).toMatchObject({ responseId: "mapped" });
      expect(
        await mapStream(
          foreign(once, () => Promise.reject(new Error("no"))),
          {},
        ).result(),
      ).toBe(MESSAGE);
    } finally {
      vi.useRealTimers();
    }
  });

  test("may end without a last event, if it has a result", async () => {
    const silent = (stopReason: "stop" | "error") =>
      foreign(
        async function* () {},
        async () => fauxAssistantMessage("x", { stopReason }),
      );
    expect(await read(mapStream(silent("stop"), {}))).toMatchObject([{ type: "done", reason: "stop" }]);
    expect(await read(mapStream(silent("error"), {}))).toMatchObject([{ type: "error", reason: "error" }]);
  });

  test("throws to the reader what it throws", async () => {
    const onError = vi.fn();
    const broken = foreign(async function* () {
      yield START;
      throw new Error("The socket broke");
    });
    const stream = mapStream(broken, { onError });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of stream) seen.push(event.type);
    })();
    await expect(reading).rejects.toThrow("The socket broke");
    await expect(stream.result()).rejects.toThrow("The socket broke");
    expect(seen).toEqual(["start"]);
    expect(onError).toHaveBeenCalledExactlyOnceWith(new Error("The socket broke"));
  });
});

test("a stream that ends without a message rejects only its result", async () => {
  const source = new AssistantMessageEventStream();
  const stream = mapStream(source, MARKED);
  source.push(START);
  source.end();
  expect(await read(stream)).toEqual([START]);
  await expect(stream.result()).rejects.toThrow("The event stream ended without a result");
});

test("a promise of a stream stays a promise, and so does its rejection", async () => {
  const source = new AssistantMessageEventStream();
  source.push(DONE);
  const promised = mapStream(Promise.resolve(source), MARKED);
  expect(promised).toBeInstanceOf(Promise);
  expect(await (await promised).result()).toMatchObject({ responseId: "mapped" });
  const onError = vi.fn();
  await expect(mapStream(Promise.reject(new Error("No token")), { onError })).rejects.toThrow("No token");
  expect(onError).toHaveBeenCalledTimes(1);
});

test("something else than a stream is refused", async () => {
  const nothing = undefined as unknown as AssistantResponseStream; // As in JavaScript.
  expect(() => mapStream(nothing, {})).toThrow("must return a stream or the promise of one");
  await expect(mapStream(Promise.resolve(nothing), {})).rejects.toThrow("must return a stream or the promise of one");
});

describe("composeStreams", () => {
  const named =
    (name: string, order: string[]): StreamMiddleware =>
    (next) =>
    (model, context, options) => {
      order.push(name);
      return mapStream(next(model, context, options), { final: () => void order.push(`${name} end`) });
    };

  test("puts the first of the list outermost", async () => {
    const order: string[] = [];
    const base = createScriptedStreamFn([MESSAGE]);
    const streamFn = composeStreams(base, [named("a", order), named("b", order)]);
    await (await streamFn(MODEL, CONTEXT)).result();
    expect(order).toEqual(["a", "b", "b end", "a end"]);
    expect(composeStreams(base, [])).toBe(base);
  });

  test("passes on what a stream function throws at once, and what an asynchronous one rejects with", async () => {
    const throwing: StreamFn = () => {
      throw new Error("Mismatched api");
    };
    expect(() => composeStreams(throwing, [named("a", [])])(MODEL, CONTEXT)).toThrow("Mismatched api");
    const rejecting: StreamFn = async () => Promise.reject(new Error("No token"));
    await expect(composeStreams(rejecting, [named("a", []), watchCache])(MODEL, CONTEXT)).rejects.toThrow("No token");
  });

  test.each([
    [undefined, [], "composeStreams needs a stream function"],
    [streamSimple, [{}], "entry 0 of the list must take a stream function and return one"],
    [streamSimple, [watchCache, () => undefined], "entry 1 of the list must take a stream function and return one"],
  ])("refuses what is not a function", (base, list, problem) => {
    // As in JavaScript.
    expect(() => composeStreams(base as StreamFn, list as StreamMiddleware[])).toThrow(problem);
  });
});
