import { type AssistantMessage, type AssistantMessageEvent, EventStream } from "pi-ai";
import { describe, expect, test, vi } from "vitest";
import { eventsOf, streamOf, text } from "../../test/scripted-stream.js";
import { never } from "../../test/scripted-tool.js";
import { AbortGate } from "../abort-gate.js";
import { Agent } from "../agent.js";
import type { StreamFn } from "../types.js";
import { readStream } from "./stream-reader.js";

const MESSAGE = text("x");
const EVENTS = eventsOf(MESSAGE);

/** A stream that is not one of ours. */
function foreign(events: readonly AssistantMessageEvent[], result?: () => unknown) {
  async function* iterate(): AsyncGenerator<AssistantMessageEvent> {
    yield* events;
  }
  return Object.assign(iterate(), result ? { result } : {});
}

async function read(stream: AsyncIterable<AssistantMessageEvent>, seen: string[] = []): Promise<AssistantMessage> {
  const showProgress = (event: AssistantMessageEvent): undefined => {
    seen.push(event.type);
  };
  const run = { gate: new AbortGate(undefined), showProgress, settings: { streamOptions: { idleTimeoutMs: 1000 } } };
  return readStream(run, stream);
}

describe("readStream", () => {
  test("forwards events that are not terminal, and returns the final message itself", async () => {
    const seen: string[] = [];
    expect(await read(streamOf(EVENTS), seen)).toBe(MESSAGE);
    expect(seen).toEqual(["start", "text_start", "text_delta", "text_end"]);
  });

  test("uses the result of a foreign stream, or its last event if it has no result", async () => {
    const other = text("other");
    expect(await read(foreign(EVENTS, async () => other))).toBe(other);
    expect(await read(foreign(EVENTS))).toBe(MESSAGE);
    expect(await read(foreign(EVENTS, () => Promise.reject(new Error("x"))))).toBe(MESSAGE);
  });

  test("waits for a late result as long as idleTimeoutMs allows", async () => {
    vi.useFakeTimers();
    const late = read(foreign([], () => new Promise((resolve) => setTimeout(() => resolve(MESSAGE), 900))));
    const lost = read(foreign(EVENTS.slice(0, 2), () => never())).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await late).toBe(MESSAGE);
    expect(await lost).toMatchObject({ message: "The stream ended without a terminal event" });
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  test("stops waiting for a late result when the run is aborted", async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const run = {
      gate: new AbortGate(controller.signal),
      showProgress: () => undefined,
      settings: { streamOptions: {} },
    };
    const reading = Promise.resolve(
      readStream(
        run,
        foreign([], () => never()),
      ),
    ).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(100_000);
    controller.abort();
    await vi.advanceTimersByTimeAsync(20);
    expect(await reading).toMatchObject({ message: "Operation aborted" });
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  test.each([
    { title: "nothing", events: [] as AssistantMessageEvent[] },
    { title: "a part", events: EVENTS.slice(0, 3) },
  ])("rejects a stream that ends after $title", async ({ events }) => {
    const stream = streamOf(events);
    stream.end();
    await expect(read(stream)).rejects.toThrow("The stream ended without a terminal event");
  });

  test("rejects a final message without content", async () => {
    const stream = streamOf([{ type: "done", reason: "stop", message: {} as AssistantMessage }]);
    await expect(read(stream)).rejects.toThrow("The stream ended without a final message");
  });

  test.each([undefined, null, {}, "text"])("rejects %j, which is not a stream", async (stream) => {
    await expect(read(stream as never)).rejects.toThrow("The stream function returned no event stream");
  });

  test("closes a generator", async () => {
    let left = false;
    async function* generate(): AsyncGenerator<AssistantMessageEvent> {
      try {
        yield* EVENTS;
        await never();
      } finally {
        left = true;
      }
    }
    expect(await read(generate())).toBe(MESSAGE);
    await null;
    expect(left).toBe(true);
  });
});

test("a stream function may return any iterable of events with a result, without a cast", async () => {
  const own: StreamFn = () => ({
    async *[Symbol.asyncIterator]() {
      yield* EVENTS;
    },
    result: async () => MESSAGE,
  });
  const ofTheEarlierTests: StreamFn = () => {
    const stream = new EventStream<AssistantMessageEvent, AssistantMessage>(
      (event) => event.type === "done",
      (event) => (event.type === "done" ? event.message : MESSAGE),
    );
    for (const event of EVENTS) stream.push(event);
    return stream;
  };
  for (const streamFn of [own, ofTheEarlierTests]) {
    const agent = new Agent({ streamFn });
    await agent.prompt("hi");
    expect(agent.state.messages.at(-1)).toBe(MESSAGE);
  }
});
