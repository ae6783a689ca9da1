/** Cases on abort, on leaving early, and on leftovers. They need no network. */

import type { AssistantMessageEvent } from "pi-ai";
import { expect } from "vitest";
import { soon, turns } from "../../../../test/support/patience.js";
import { budget } from "../../../../test/support/suite.js";
import type { ConformanceCase } from "./response-cases.js";
import { expectBeginning, listenersOf, type Subject } from "./subject.js";
import { RESPONSE_NAMES, type ResponseName } from "./target.js";

export const lifetimeCases: readonly ConformanceCase[] = [
  {
    name: "aborts at each event",
    run: async (subject) => {
      for (const name of RESPONSE_NAMES) {
        if (!subject.target.responses[name]) continue;
        const count = await countHeldEvents(subject, name);
        expect(count, name).toBeGreaterThan(1);
        for (let at = 0; at < count; at += budget({ quick: 3, all: 1 })) await abortAt(subject, name, at);
      }
    },
  },
  {
    name: "sends nothing if the signal is already aborted",
    run: async (subject) => {
      const call = subject.target.prepare("text");
      const signal = AbortSignal.abort();
      const { message, events } = await subject.watch(call, () => subject.start(call, { signal }));
      expect(events.map((event) => event.type)).toEqual(["error"]);
      expect(message.stopReason).toBe("aborted");
      expect(message.error?.kind).toBe("aborted");
      expect(call.exchange?.requests ?? []).toEqual([]);
      expect(listenersOf(signal)).toBe(0);
    },
  },
  {
    name: "aborts before anything arrived",
    run: async (subject) => {
      const call = subject.target.prepare("text", { hold: true });
      const controller = new AbortController();
      const { message, events } = await subject.watch(call, () => {
        const stream = subject.start(call, { signal: controller.signal });
        controller.abort();
        return stream;
      });
      expect(events.map((event) => event.type)).toEqual(["error"]);
      expect(message.stopReason).toBe("aborted");
      expect(listenersOf(controller.signal)).toBe(0);
    },
  },
  {
    name: "settles the result of an aborted request that nothing iterates",
    run: async (subject) => {
      const controller = new AbortController();
      const result = subject
        .start(subject.target.prepare("text", { hold: true }), { signal: controller.signal })
        .result();
      controller.abort();
      expect((await soon("the result", result)).stopReason).toBe("aborted");
    },
  },
  {
    name: "leaves no listener on the caller's signal after a successful response",
    run: async (subject) => {
      const { signal } = new AbortController();
      for (let round = 0; round < 3; round++) await subject.run(subject.target.prepare("text"), { signal });
      expect(listenersOf(signal)).toBe(0);
    },
  },
  {
    name: "is not changed by an abort after the end",
    run: async (subject) => {
      const controller = new AbortController();
      const stream = subject.start(subject.target.prepare("text"), { signal: controller.signal });
      const message = await stream.result();
      const before = JSON.stringify(message);
      controller.abort();
      expect(JSON.stringify(await stream.result())).toBe(before);
      expect(message.stopReason).toBe("stop");
    },
  },
  {
    name: "ends the request if the iteration is left",
    run: async (subject) => {
      for (const type of ["start", "text_delta"] as const) {
        const call = subject.target.prepare("text", { hold: true });
        for await (const event of subject.start(call)) if (event.type === type) break;
        if (call.exchange) await soon(`the end of the request after ${type}`, call.exchange.left);
      }
    },
  },
  {
    name: "ends the request if the iteration throws",
    run: async (subject) => {
      const call = subject.target.prepare("text", { hold: true });
      const reading = async (): Promise<void> => {
        for await (const event of subject.start(call)) throw new Error(event.type);
      };
      await expect(reading()).rejects.toThrow("start");
      if (call.exchange) await soon("the end of the request", call.exchange.left);
    },
  },
  {
    name: "continues for a caller that awaits the result and leaves the iteration",
    run: async (subject) => {
      const stream = subject.start(subject.target.prepare("text"));
      const result = stream.result();
      for await (const event of stream) if (event.type === "start") break;
      expect((await result).stopReason).toBe("stop");
    },
  },
];

async function abortAt(subject: Subject, name: ResponseName, at: number): Promise<void> {
  const call = subject.target.prepare(name, { hold: true });
  const controller = new AbortController();
  let count = 0;
  const { message, events } = await subject.watch(call, () => {
    const stream = subject.start(call, { signal: controller.signal });
    return observed(stream, () => {
      if (count++ === at) controller.abort();
    });
  });
  expect(message.stopReason, `${name}, event ${at}`).toBe("aborted");
  expect(message.error?.kind).toBe("aborted");
  expect(message.errorMessage).toMatch(/abort/i);
  expect(events.length).toBeGreaterThan(at + 1);
  const expected = subject.target.responses[name];
  // A provider without a network may hold a response by streaming forever.
  if (expected) expectBeginning({ ...message, content: message.content.slice(0, expected.content.length) }, expected);
  expect(listenersOf(controller.signal)).toBe(0);
  if (call.exchange) await soon("the end of the request", call.exchange.left);
}

/** The same stream, with a hook that sees each event before the reader. */
function observed(stream: ReturnType<Subject["start"]>, look: () => void): ReturnType<Subject["start"]> {
  return {
    result: () => stream.result(),
    async *[Symbol.asyncIterator]() {
      for await (const event of stream) {
        look();
        yield event;
      }
    },
  };
}

/** The number of events that a held response shows: at most those of the whole response without its terminal event. */
async function countHeldEvents(subject: Subject, name: ResponseName): Promise<number> {
  let whole = 0;
  for await (const _ of subject.start(subject.target.prepare(name))) whole++;
  const call = subject.target.prepare(name, { hold: true });
  const iterator = subject.start(call)[Symbol.asyncIterator]();
  let count = 0;
  while (count < whole - 1 && (await hasNext(iterator, call.exchange?.served))) count++;
  await iterator.return?.();
  return count;
}

/** False if no event follows although everything was sent and the client has had turns of the event loop to read it. */
async function hasNext(iterator: AsyncIterator<AssistantMessageEvent>, served?: Promise<void>): Promise<boolean> {
  const quiet = served?.then(() => turns()).then(() => false);
  const next = iterator.next().then(({ done }) => !done);
  return quiet ? Promise.race([next, quiet]) : next;
}
