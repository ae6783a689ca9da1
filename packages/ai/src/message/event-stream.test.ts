import {
  type AssistantMessageEvent,
  AssistantMessageEventStream,
  createAssistantMessageEventStream,
  EventStream,
} from "pi-ai";
import { describe, expect, it, vi } from "vitest";
import { createResponse } from "../../test/messages.js";

/** A stream of numbers. A negative number ends it and is the result. */
function createNumbers(): EventStream<number, string> {
  return new EventStream<number, string>(
    (value) => value < 0,
    (value) => `result ${value}`,
  );
}

async function readAll<T>(events: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  const settle = (): void => {
    pending = false;
  };
  promise.then(settle, settle);
  await new Promise((resolve) => setImmediate(resolve));
  return pending;
}

describe("EventStream", () => {
  it("delivers events in the order of pushing, the completing one last", async () => {
    const stream = createNumbers();
    for (const value of [1, 2, 3, -1]) stream.push(value);
    expect(await readAll(stream)).toEqual([1, 2, 3, -1]);
    expect(await stream.result()).toBe("result -1");
  });

  it("delivers events to a reader that was already waiting", async () => {
    const stream = createNumbers();
    const seen = readAll(stream);
    await Promise.resolve();
    for (const value of [1, 2]) stream.push(value);
    await Promise.resolve();
    stream.push(-1);
    expect(await seen).toEqual([1, 2, -1]);
  });

  it("resolves several waiting reads in order", async () => {
    const stream = createNumbers();
    const iterator = stream[Symbol.asyncIterator]();
    const reads = [iterator.next(), iterator.next(), iterator.next(), iterator.next()];
    for (const value of [1, 2, -1]) stream.push(value);
    expect(await Promise.all(reads)).toEqual([
      { value: 1, done: false },
      { value: 2, done: false },
      { value: -1, done: false },
      { value: undefined, done: true },
    ]);
  });

  it("splits events between two readers, each event to one of them", async () => {
    const stream = createNumbers();
    const both = [readAll(stream), readAll(stream)];
    for (let value = 1; value <= 20; value++) {
      stream.push(value);
      if (value % 3 === 0) await Promise.resolve();
    }
    stream.push(-1);
    const seen = (await Promise.all(both)).flat();
    expect(seen.sort((a, b) => a - b)).toEqual([-1, ...Array.from({ length: 20 }, (_, index) => index + 1)]);
  });

  it("ignores events after the end, however it ended", async () => {
    const completed = createNumbers();
    for (const value of [-1, 2, -3]) completed.push(value);
    expect(await readAll(completed)).toEqual([-1]);
    expect(await completed.result()).toBe("result -1");

    const ended = createNumbers();
    ended.end("early");
    ended.push(1);
    ended.end("late");
    expect(await readAll(ended)).toEqual([]);
    expect(await ended.result()).toBe("early");
  });

  it("keeps what was pushed before end() for later readers", async () => {
    const stream = createNumbers();
    stream.push(1);
    stream.end("result");
    expect(await readAll(stream)).toEqual([1]);
    expect(await readAll(stream)).toEqual([]);
  });

  it("rejects result() with a clear error if it ended without one", async () => {
    const before = createNumbers();
    const result = before.result();
    before.end();
    await expect(result).rejects.toThrow("The event stream ended without a result");

    const after = createNumbers();
    after.end();
    await expect(after.result()).rejects.toThrow("The event stream ended without a result");
    expect(await readAll(after)).toEqual([]);
  });

  it("causes no unhandled rejection if nothing reads a failed result", async () => {
    const onUnhandled = vi.fn();
    process.on("unhandledRejection", onUnhandled);
    const stream = createNumbers();
    void stream.result();
    stream.end();
    const silent = createNumbers();
    silent.end();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    process.off("unhandledRejection", onUnhandled);
    expect(onUnhandled).not.toHaveBeenCalled();
  });

  it("returns the same promise to every caller of result(), before and after the end", async () => {
    const stream = createNumbers();
    const early = stream.result();
    expect(await isPending(early)).toBe(true);
    stream.push(-5);
    expect(stream.result()).toBe(early);
    expect(await early).toBe("result -5");
  });

  it("treats undefined as no result, and every other value as one", async () => {
    const stream = new EventStream<number, null>(
      () => false,
      () => null,
    );
    stream.end(null);
    expect(await stream.result()).toBeNull();
  });

  it("returns all queued events at once, in order and only once", async () => {
    const stream = createNumbers();
    const [reader, other] = [stream[Symbol.asyncIterator](), stream[Symbol.asyncIterator]()];
    expect(reader.takeQueued()).toBeUndefined();
    for (const value of [1, 2, 3]) stream.push(value);
    expect(await other.next()).toEqual({ value: 1, done: false });
    expect(reader.takeQueued()).toEqual([2, 3]);
    expect(other.takeQueued()).toBeUndefined();
    const waiting = reader.next();
    for (const value of [4, -1]) stream.push(value);
    expect(await waiting).toEqual({ value: 4, done: false });
    await other.return?.();
    expect(other.takeQueued()).toBeUndefined();
    expect(reader.takeQueued()).toEqual([-1]);
    expect(await reader.next()).toEqual({ value: undefined, done: true });
  });

  it("moves each of many unread events a bounded number of times", async () => {
    const stream = createNumbers();
    const count = 50_000;
    let copied = 0;
    const { slice } = Array.prototype;
    vi.spyOn(Array.prototype, "slice").mockImplementation(function (this: unknown[], ...bounds) {
      const copy = slice.apply(this, bounds);
      copied += copy.length;
      return copy;
    });
    const shift = vi.spyOn(Array.prototype, "shift");
    const splice = vi.spyOn(Array.prototype, "splice");
    for (let value = 1; value <= count; value++) stream.push(value);
    stream.push(-1);
    const iterator = stream[Symbol.asyncIterator]();
    let last = 0;
    for (let value = 0; value <= count; value++) last = (await iterator.next()).value ?? 0;
    const calls = shift.mock.calls.length + splice.mock.calls.length;
    vi.restoreAllMocks();
    expect(last).toBe(-1);
    expect(calls).toBe(0);
    expect(copied).toBeLessThan(2 * count);
  });

  it("does not lose an event to a reader that left while it waited", async () => {
    const stream = createNumbers();
    const leaving = stream[Symbol.asyncIterator]();
    const staying = stream[Symbol.asyncIterator]();
    const given = leaving.next();
    const wanted = staying.next();
    await leaving.return?.();
    stream.push(1);
    expect(await given).toEqual({ value: undefined, done: true });
    expect(await wanted).toEqual({ value: 1, done: false });
    expect(await leaving.next()).toEqual({ value: undefined, done: true });
  });

  it("drops unread events once only the result is awaited", async () => {
    const stream = createNumbers();
    stream.push(1);
    const result = stream.resultOnly();
    stream.push(2);
    stream.push(-1);
    expect(await result).toBe("result -1");
    expect(await readAll(stream)).toEqual([]);
  });
});

const message = createResponse();
const start: AssistantMessageEvent = { type: "start", partial: message };
const done: AssistantMessageEvent = { type: "done", reason: "stop", message };

describe("AssistantMessageEventStream", () => {
  it("ends at done and at error, with their message as the result", async () => {
    const good = createAssistantMessageEventStream();
    good.push(start);
    good.push(done);
    good.push(start);
    expect((await readAll(good)).map((event) => event.type)).toEqual(["start", "done"]);
    expect(await good.result()).toBe(message);

    const failed = createAssistantMessageEventStream();
    failed.push({ type: "error", reason: "error", error: message });
    expect(await failed.result()).toBe(message);
  });

  it.each([
    [
      "break",
      async (stream: AssistantMessageEventStream) => {
        for await (const _ of stream) break;
      },
    ],
    [
      "throw",
      async (stream: AssistantMessageEventStream) => {
        await expect(
          (async () => {
            for await (const _ of stream) throw new Error("enough");
          })(),
        ).rejects.toThrow("enough");
      },
    ],
    [
      "return()",
      async (stream: AssistantMessageEventStream) => {
        await stream[Symbol.asyncIterator]().return?.();
      },
    ],
  ])("stops the producer when the only reader leaves by %s", async (_, leave) => {
    const onAbandoned = vi.fn();
    const stream = new AssistantMessageEventStream({ onAbandoned });
    stream.push(start);
    await leave(stream);
    expect(onAbandoned).toHaveBeenCalledTimes(1);
  });

  it("continues if a reader leaves while a caller awaits the result", async () => {
    const onAbandoned = vi.fn();
    const stream = new AssistantMessageEventStream({ onAbandoned });
    const result = stream.result();
    stream.push(start);
    for await (const _ of stream) break;
    expect(onAbandoned).not.toHaveBeenCalled();
    stream.push(done);
    expect(await result).toBe(message);
  });

  it("continues while another reader stays", async () => {
    const onAbandoned = vi.fn();
    const stream = new AssistantMessageEventStream({ onAbandoned });
    const [first, second] = [stream[Symbol.asyncIterator](), stream[Symbol.asyncIterator]()];
    await first.return?.();
    await first.return?.();
    expect(onAbandoned).not.toHaveBeenCalled();
    await second.return?.();
    expect(onAbandoned).toHaveBeenCalledTimes(1);
  });

  it("does not stop the producer if the reader leaves after the end", async () => {
    const onAbandoned = vi.fn();
    const stream = new AssistantMessageEventStream({ onAbandoned });
    stream.push(start);
    stream.push(done);
    for await (const _ of stream) break;
    expect(onAbandoned).not.toHaveBeenCalled();
  });

  it("makes the producer wait at the limit until half of the events are read", async () => {
    const stream = new AssistantMessageEventStream();
    for (let count = 0; count < 4; count++) {
      expect(stream.whenReadable(4)).toBeUndefined();
      stream.push(start);
    }
    const readable = stream.whenReadable(4);
    if (!readable) throw new Error("The producer was not held back");
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    expect(await isPending(readable)).toBe(true);
    await iterator.next();
    expect(await isPending(readable)).toBe(false);
    expect(stream.whenReadable(4)).toBeUndefined();
  });

  it("does not make the producer wait once a caller awaits the result", async () => {
    const stream = new AssistantMessageEventStream();
    for (let count = 0; count < 4; count++) stream.push(start);
    const readable = stream.whenReadable(4);
    void stream.result();
    expect(await isPending(readable ?? Promise.reject())).toBe(false);
    expect(stream.whenReadable(4)).toBeUndefined();
  });
});
