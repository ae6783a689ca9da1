/** Rows on abort, on leaving early, and on slow or absent readers. */
import { inspect } from "node:util";
import type { AssistantMessage, ProviderStreamOptions } from "pi-ai";
import { expect } from "vitest";
import { soon, turns } from "../../../../test/support/patience.js";
import type { FaultScript } from "../fault-server/fault-server.js";
import { type FaultRow, overHttp, row } from "./fault-row.js";
import { closed, expectControlMessage, type FaultSubject, listenersOn, type Outcome, textOf } from "./fault-subject.js";
import { callPart, responseOf, textPart } from "./fault-wire-format.js";

const MEGABYTE = 1024 * 1024;
/** The number of pauses of 50 ms each. */
const MAX_IDLE_ROUNDS = 3;

export const abortRows: readonly FaultRow[] = [
  row(108, "signal already aborted before the call", async (subject) => {
    const call = subject.call(subject.say(subject.control));
    const outcome = await subject.watch(call, () => {
      call.exchange.served.catch(() => {});
      return subject.open(call, { signal: AbortSignal.abort() });
    });
    expectAborted(outcome.message);
    expect(call.exchange.requests).toHaveLength(0);
  }),
  row(109, "abort before the headers arrive", (subject) => abortsAfter(subject, () => {})),
  row(110, "abort after headers, before the first event", (subject) =>
    abortsAfter(subject, subject.say([], "silence")),
  ),
  row(111, "abort at every event index", async (subject) => {
    const events = responseOf(subject.wire, [textPart("Hel", "lo"), callPart("read", '{"a":', "1}")]);
    for (let at = 0; ; at++) {
      const controller = new AbortController();
      const call = subject.call(subject.say(events));
      const stream = subject.open(call, { signal: controller.signal });
      let count = 0;
      const { message, events: seen } = await subject.watch(call, () => ({
        result: () => stream.result(),
        async *[Symbol.asyncIterator]() {
          for await (const event of stream) {
            if (count++ === at) controller.abort();
            yield event;
          }
        },
      }));
      expect(["aborted", "toolUse"]).toContain(message.stopReason);
      expect(seen.filter((event) => event.message)).toHaveLength(1);
      expect(listenersOn(controller.signal)).toBe(0);
      if (count <= at) break;
    }
  }),
  row(112, "abort after the end", async (subject) => {
    const controller = new AbortController();
    const call = subject.call(subject.say(subject.control));
    const stream = subject.open(call, { signal: controller.signal });
    const message = await stream.result();
    controller.abort();
    expect(await stream.result()).toBe(message);
    expectControlMessage(message);
  }),
  row(113, "abort twice", async (subject) => {
    const controller = new AbortController();
    const twice = (): void => {
      controller.abort();
      controller.abort();
    };
    const call = subject.call(afterwards(subject.say(subject.beginning, "silence"), twice));
    expectAborted((await subject.run(call, { signal: controller.signal })).message);
  }),
  row(
    114,
    "abort during retry back-off",
    async (subject) => {
      const script = subject.refuse(429, "Slow down", { "retry-after": "20" });
      const { exchange } = await abortsAfter(subject, script, { maxRetries: 2 });
      expect(exchange.requests).toHaveLength(1);
    },
    overHttp,
  ),
  row(115, "consumer never reads; server sends without end", neverReads),
  row(116, "slow consumer", async (subject) => {
    const pieces = Array.from({ length: 40 }, (_, index) => `${index},`);
    const call = subject.call(subject.say(responseOf(subject.wire, [textPart(...pieces)]), "end", 8));
    let text = "";
    const stream = subject.open(call);
    for await (const event of stream) {
      await turns();
      if (event.type === "text_delta") text += event.delta;
    }
    expect(text).toBe(pieces.join(""));
    expect(textOf(await stream.result())).toBe(text);
  }),
  row(117, "abort with a string reason / undefined / a custom object", async (subject) => {
    for (const reason of ["because", undefined, null, { odd: true }, new Error("mine"), 7]) {
      await abortsAfter(subject, subject.say(subject.beginning, "silence"), {}, reason);
    }
  }),
  row(118, "AbortSignal.timeout", async (subject) => {
    const call = subject.call(subject.say(subject.beginning, "silence"));
    const { message } = await subject.run(call, { signal: AbortSignal.timeout(100) });
    expect(["aborted", "error"]).toContain(message.stopReason);
  }),
  row(119, "abort while only result() is awaited", async (subject) => {
    const controller = new AbortController();
    const call = subject.call(afterwards(subject.say(subject.beginning, "silence"), () => controller.abort()));
    expectAborted(await soon("the result", subject.open(call, { signal: controller.signal }).result()));
    await closed(call.exchange);
  }),
  row(120, "abort listeners left after 100 failed and 100 aborted calls on one parent signal", async (subject) => {
    const parent = new AbortController();
    const { signal } = parent;
    const fail = async (): Promise<void> => {
      const call = subject.call(subject.say([...subject.beginning, subject.wire.error("no")]));
      expect((await subject.open(call, { signal }).result()).stopReason).toBe("error");
    };
    const leave = async (): Promise<void> => {
      const call = subject.call(subject.say(subject.beginning, "silence"));
      for await (const event of subject.open(call, { signal })) if (event.type === "text_delta") break;
    };
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 ? fail() : leave())));
    }
    expect(listenersOn(signal)).toBe(0);
  }),
];

/** Plays the script, and runs an action when the client has read what the script sent. */
function afterwards(script: FaultScript, act: () => void): FaultScript {
  return async (wire) => {
    await script(wire);
    await turns();
    act();
  };
}

/** Aborts when the script is over. The script leaves the response open, so only the abort can end it. */
async function abortsAfter(
  subject: FaultSubject,
  script: FaultScript,
  more: ProviderStreamOptions = {},
  reason?: unknown,
): Promise<Outcome> {
  const controller = new AbortController();
  const call = subject.call(afterwards(script, () => controller.abort(reason)));
  const outcome = await subject.run(call, { ...more, signal: controller.signal });
  expectAborted(outcome.message);
  expect(listenersOn(controller.signal)).toBe(0);
  return outcome;
}

function expectAborted(message: AssistantMessage): void {
  expect(message.stopReason, inspect(message)).toBe("aborted");
  expect(message.errorMessage).toMatch(/abort/i);
  expect(message.error?.kind).toBe("aborted");
}

/** The server must not be able to send more than the buffers on the way hold. */
async function neverReads(subject: FaultSubject): Promise<void> {
  const piece = "x".repeat(64 * 1024);
  let taken = 0;
  const call = subject.call(async (wire) => {
    await subject.say(subject.wire.start(), "silence")(wire);
    const [delta = subject.beginning[0]] = subject.wire
      .part(textPart(piece), 0)
      .filter((event) => JSON.stringify(event).includes(piece));
    for (const event of subject.beginning.slice(subject.wire.start().length)) {
      await wire.send(subject.pack(wire, subject.wire.frame(event)));
    }
    const bytes = subject.pack(wire, subject.wire.frame(delta ?? {}));
    // Full buffers stay full, so a few rounds without progress show where the client stops.
    for (let idle = 0; wire.isOpen && taken < 100 * MEGABYTE && idle < MAX_IDLE_ROUNDS; idle++) {
      wire.socket.write(bytes);
      await wire.drained(50);
      const now = wire.socket.bytesWritten - wire.socket.writableLength;
      if (now > taken) idle = 0;
      taken = now;
    }
  });
  const stream = subject.open(call);
  await call.exchange.served;
  expect(taken).toBeLessThan(48 * MEGABYTE);
  for await (const _ of stream) break;
  await closed(call.exchange);
}
