/** Rows on leftovers of many requests: sockets, timers, memory. */
import { expect } from "vitest";
import { eventually } from "../../../../test/support/patience.js";
import { budget } from "../../../../test/support/suite.js";
import { type FaultRow, overHttp, row } from "./fault-row.js";
import { expectControlMessage, type FaultSubject } from "./fault-subject.js";
import { countTimers, heapUsed } from "./leftovers.js";

/** How many requests a row sends; `leaks.full.test.ts` sends a thousand of each kind. */
const CALLS = budget({ quick: 30, all: 100 });
const MAX_BYTES_PER_CALL = 2048;
/** What a run may keep once: code that was compiled late, and pools that were filled. */
const SLACK_BYTES = 512 * 1024;

export const leakRows: readonly FaultRow[] = [
  row(174, "successful requests, one after the other", (subject) =>
    leavesNothing(subject, async () => {
      const call = subject.call(subject.say(subject.control));
      expectControlMessage(await subject.open(call).result());
      subject.server.forget(call.exchange);
    }),
  ),
  row(
    175,
    "requests that end with HTTP 500",
    (subject) =>
      leavesNothing(subject, async () => {
        const call = subject.call(subject.refuse(500, "no"));
        expect((await subject.open(call).result()).error?.status).toBe(500);
        subject.server.forget(call.exchange);
      }),
    overHttp,
  ),
  row(176, "consumers that break early", (subject) =>
    closesAll(subject, async () => {
      const call = subject.call(subject.say(subject.beginning, "silence"));
      for await (const event of subject.open(call)) if (event.type === "text_delta") break;
    }),
  ),
  row(177, "200 concurrent requests", async (subject) => {
    const calls = Array.from({ length: 200 }, () => subject.call(subject.say(subject.control)));
    const messages = await Promise.all(calls.map((call) => subject.open(call).result()));
    for (const message of messages) expectControlMessage(message);
  }),
  row(178, "mid-stream error events while the server keeps the socket open", (subject) =>
    closesAll(subject, async () => {
      const call = subject.call(subject.say([...subject.beginning, subject.wire.error("no")], "silence"));
      expect((await subject.open(call).result()).stopReason).toBe("error");
    }),
  ),
];

async function leavesNothing(subject: FaultSubject, call: () => Promise<void>): Promise<void> {
  // Anything loaded, compiled or pooled once is not a leak.
  for (let round = 0; round < 40; round++) await call();
  const timers = countTimers();
  const before = await heapUsed();
  for (let round = 0; round < CALLS; round++) await call();
  const grown = (await heapUsed()) - before;
  expect(grown).toBeLessThan(CALLS * MAX_BYTES_PER_CALL + SLACK_BYTES);
  expect(countTimers()).toBeLessThanOrEqual(timers + 2);
  // How many connections were made depends on the machine: one is not reused if its response ends late.
  await eventually(() => expect(subject.server.openSockets).toBeLessThan(10));
}

async function closesAll(subject: FaultSubject, call: () => Promise<void>): Promise<void> {
  const before = subject.server.openSockets;
  for (let round = 0; round < CALLS; round += 30) await Promise.all(Array.from({ length: 30 }, call));
  await eventually(() => expect(subject.server.openSockets).toBeLessThanOrEqual(before + 1));
}
