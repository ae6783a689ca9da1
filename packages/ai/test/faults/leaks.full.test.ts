/** Runs a thousand streams of each kind, spread over all apis, on one signal, and expects no leftovers. */
import { expect, it } from "vitest";
import { eventually } from "../../../../test/support/patience.js";
import { budget } from "../../../../test/support/suite.js";
import { allWires } from "./all-wires.js";
import { FaultSubject, listenersOn } from "./fault-subject.js";
import { countTimers, heapUsed } from "./leftovers.js";
import { useFaultServer } from "./use-fault-server.js";

const CALLS = budget({ quick: 55, all: 1000 });
const WARM_UP = budget({ quick: 55, all: 220 });
const AT_ONCE = 11;
const MAX_SOCKETS = 3 * AT_ONCE;
/** The timer of `eventually`, and those of a connection pool. */
const MAX_TIMERS = 4;
const MAX_GROWTH = 2 * 1024 * 1024;

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

it.each(Object.entries(kinds))(`${CALLS} streams that are %s leave nothing behind`, async (_, make) => {
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
  // Without forced garbage collection.
  expect(listenersOn(signal)).toBe(0);
  expect((await heapUsed()) - before).toBeLessThan(MAX_GROWTH);
  // Reusable connections may stay open for a while, not many more than there were concurrent requests.
  await eventually(() => expect(server().openSockets).toBeLessThanOrEqual(MAX_SOCKETS));
  await eventually(() => expect(countTimers()).toBeLessThanOrEqual(MAX_TIMERS));
});
