/** Abort, leaving, and readers that are slow or absent. */

import { setTimeout as wait } from "node:timers/promises";
import { inspect } from "node:util";
import { expect } from "vitest";
import type { AssistantMessage } from "../../src/types/message.js";
import type { ProviderStreamOptions } from "../../src/types/options.js";
import { soon } from "../conformance/subject.js";
import type { FaultScript } from "../fault-server/fault-server.js";
import { type FaultRow, overHttp, row } from "./fault-row.js";
import { closed, expectControlMessage, type FaultSubject, listenersOn, type Outcome, textOf } from "./fault-subject.js";
import { callPart, responseOf, textPart } from "./fault-wire-format.js";

/** How long an abort may take. */
const ABORT_MS = 600;
const MEGABYTE = 1024 * 1024;

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
  row(109, "abort before the headers arrive", (subject) => abortsAfter(subject, () => {}, 20)),
  row(110, "abort after headers, before the first event", (subject) =>
    abortsAfter(subject, subject.say([], "silence"), 20),
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
    const call = subject.call(subject.say(subject.beginning, "silence"));
    const { message } = await subject.watch(call, () => {
      const stream = subject.open(call, { signal: controller.signal });
      setTimeout(() => {
        controller.abort();
        controller.abort();
      }, 30);
      return stream;
    });
    expectAborted(message);
  }),
  row(
    114,
    "abort during retry back-off",
    async (subject) => {
      const script = subject.refuse(429, "Slow down", { "retry-after": "20" });
      const { exchange } = await abortsAfter(subject, script, 60, { maxRetries: 2 });
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
      await wait(3);
      if (event.type === "text_delta") text += event.delta;
    }
    expect(text).toBe(pieces.join(""));
    expect(textOf(await stream.result())).toBe(text);
  }),
  row(117, "abort with a string reason / undefined / a custom object", async (subject) => {
    for (const reason of ["because", undefined, null, { odd: true }, new Error("mine"), 7]) {
      await abortsAfter(subject, subject.say(subject.beginning, "silence"), 15, {}, reason);
    }
  }),
  row(118, "AbortSignal.timeout", async (subject) => {
    const call = subject.call(subject.say(subject.beginning, "silence"));
    const begun = Date.now();
    const { message } = await subject.run(call, { signal: AbortSignal.timeout(100) });
    expect(["aborted", "error"]).toContain(message.stopReason);
    expect(Date.now() - begun).toBeLessThan(900);
  }),
  row(119, "abort while only result() is awaited", async (subject) => {
    const controller = new AbortController();
    const call = subject.call(subject.say(subject.beginning, "silence"));
    const result = subject.open(call, { signal: controller.signal }).result();
    await wait(30);
    controller.abort();
    expectAborted(await soon("the result", result, ABORT_MS));
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

/** Aborts some time after the call, and expects the end at once. */
async function abortsAfter(
  subject: FaultSubject,
  script: FaultScript,
  ms: number,
  more: ProviderStreamOptions = {},
  reason?: unknown,
): Promise<Outcome> {
  const controller = new AbortController();
  const call = subject.call(script);
  let abortedAt = 0;
  const outcome = await subject.watch(call, () => {
    const stream = subject.open(call, { ...more, signal: controller.signal });
    setTimeout(() => {
      abortedAt = Date.now();
      controller.abort(reason);
    }, ms);
    return stream;
  });
  expect(Date.now() - abortedAt).toBeLessThan(ABORT_MS + 1000);
  expectAborted(outcome.message);
  expect(listenersOn(controller.signal)).toBe(0);
  return outcome;
}

function expectAborted(message: AssistantMessage): void {
  expect(message.stopReason, inspect(message)).toBe("aborted");
  expect(message.errorMessage).toMatch(/abort/i);
  expect(message.error?.kind).toBe("aborted");
}

/** The server may not get rid of more than the buffers on the way hold. */
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
    const end = Date.now() + 300;
    while (wire.isOpen && taken < 100 * MEGABYTE && Date.now() < end) {
      wire.socket.write(bytes);
      await wire.drained(50);
      taken = wire.socket.bytesWritten - wire.socket.writableLength;
    }
  });
  const stream = subject.open(call);
  await call.exchange.served;
  expect(taken).toBeLessThan(48 * MEGABYTE);
  for await (const _ of stream) break;
  await closed(call.exchange);
}
