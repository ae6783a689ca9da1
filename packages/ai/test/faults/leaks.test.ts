/** A thousand streams of each kind, spread over all protocols, on one signal: nothing is left. */
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { allWires } from "./all-wires.js";
import { FaultSubject, listenersOn } from "./fault-subject.js";
import { countTimers, heapUsed } from "./leftovers.js";
import { useFaultServer } from "./use-fault-server.js";

const CALLS = 1000;
const WARM_UP = 220;
const AT_ONCE = 11;
const MOST_SOCKETS = 3 * AT_ONCE;
const MOST_GROWTH = 2 * 1024 * 1024;

const server = useFaultServer();

type Kind = (subject: FaultSubject, signal: AbortSignal) => Promise<void>;

const kinds: Record<string, Kind> = {
  finished: async (subject, signal) => {
    const call = subject.call(subject.say(subject.control));
    expect((await subject.open(call, { signal }).result()).stopReason).toBe("stop");
    server().forget(call.exchange);
  },
  failed: async (subject, signal) => {
    const call = subject.call(subject.say([...subject.beginning, subject.wire.error("no")], "silence"));
    expect((await subject.open(call, { signal }).result()).stopReason).toBe("error");
    server().forget(call.exchange);
  },
  aborted: async (subject, signal) => {
    const call = subject.call(subject.say(subject.beginning, "silence"));
    const own = new AbortController();
    const stream = subject.open(call, { signal: AbortSignal.any([signal, own.signal]) });
    for await (const event of stream) if (event.type === "text_delta") own.abort();
    expect((await stream.result()).stopReason).toBe("aborted");
    server().forget(call.exchange);
  },
  abandoned: async (subject, signal) => {
    const call = subject.call(subject.say(subject.beginning, "silence"));
    for await (const event of subject.open(call, { signal })) if (event.type === "text_delta") break;
    server().forget(call.exchange);
  },
};

it.each(Object.entries(kinds))(
  `leaves nothing of ${CALLS} streams that are %s`,
  { timeout: 60_000 },
  async (_, make) => {
    const subjects = allWires.map((wire) => new FaultSubject(wire, server));
    const { signal } = new AbortController();
    const makeMany = async (count: number): Promise<void> => {
      for (let made = 0; made < count; made += AT_ONCE) {
        await Promise.all(subjects.slice(0, AT_ONCE).map((subject) => make(subject, signal)));
      }
    };
    await makeMany(WARM_UP);
    const before = await heapUsed();
    await makeMany(CALLS);
    // Without any forced collection.
    expect(listenersOn(signal)).toBe(0);
    expect((await heapUsed()) - before).toBeLessThan(MOST_GROWTH);
    // Connections that can be used again may stay for a while, not many more than there were calls at once.
    for (const end = Date.now() + 3000; server().openSockets > MOST_SOCKETS && Date.now() < end; ) await wait(10);
    expect(server().openSockets).toBeLessThanOrEqual(MOST_SOCKETS);
    for (const end = Date.now() + 1000; countTimers() > 2 && Date.now() < end; ) await wait(10);
    expect(countTimers()).toBeLessThanOrEqual(2);
  },
);
