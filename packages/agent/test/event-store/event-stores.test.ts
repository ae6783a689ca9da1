/** One suite for the stores of events. Redis and PostgreSQL are real servers, each with both of its clients. */
import { createHash } from "node:crypto";
import { createClient } from "@redis/client";
import fc from "fast-check";
import { Redis } from "ioredis";
import pg from "pg";
import {
  type ClosableEventStore,
  createMemoryEventStore,
  type EventStore,
  type EventStoreOptions,
  runsOf,
  stopRun,
  whenStopped,
} from "pi-agent/event-store";
import { createPostgresEventStore } from "pi-agent/event-store/postgres";
import { createRedisEventStore } from "pi-agent/event-store/redis";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type DatabaseServer,
  noPostgres,
  noRedis,
  startPostgres,
  startRedis,
} from "../../../../test/support/database-servers.js";
import { soon } from "../../../../test/support/patience.js";
import { budget } from "../../../../test/support/suite.js";

let redis: DatabaseServer | undefined;
let database: DatabaseServer | undefined;
beforeAll(async () => {
  if (!noRedis) redis = await startRedis();
  if (!noPostgres) database = await startPostgres();
});
afterAll(async () => {
  await redis?.stop();
  await database?.stop();
});

type Opened = [store: ClosableEventStore<string>, close: () => unknown];

/** Each call is another web server; those in memory are one. */
const STORES: Readonly<Record<string, (options: EventStoreOptions) => Promise<Opened>>> = {
  memory: async (options) => [createMemoryEventStore<string>(options), () => {}],
  ioredis: async (options) => {
    const client = new Redis({ path: redis?.socket ?? "" });
    return [createRedisEventStore<string>(client, options), () => client.disconnect()];
  },
  "ioredis, protocol 2": async (options) => {
    const client = new Redis({ path: redis?.socket ?? "", protocol: 2 });
    return [createRedisEventStore<string>(client, options), () => client.disconnect()];
  },
  "node-redis": async (options) => {
    const client = createClient({ socket: { path: redis?.socket ?? "", tls: false } });
    await client.connect();
    return [createRedisEventStore<string>(client, options), () => client.destroy()];
  },
  pg: async (options) => {
    const pool = new pg.Pool({ host: database?.folder ?? "", user: "test", database: "postgres", max: 3 });
    return [createPostgresEventStore<string>(pool, { pollMs: 2, ...options }), () => pool.end()];
  },
  "postgres.js": async (options) => {
    const sql = postgres({ path: database?.socket ?? "", user: "test", database: "postgres", max: 3 });
    return [createPostgresEventStore<string>(sql, { pollMs: 2, ...options }), () => sql.end()];
  },
};

const MISSING: Readonly<Record<string, string | undefined>> = {
  ioredis: noRedis,
  "ioredis, protocol 2": noRedis,
  "node-redis": noRedis,
  pg: noPostgres,
  "postgres.js": noPostgres,
};

describe.each(Object.keys(STORES))("events in %s", (name) => {
  const missing = MISSING[name];
  const title = missing ? ` (skipped: ${missing})` : "";
  const test = it.skipIf(missing !== undefined);
  const opened: Opened[] = [];
  let counter = 0;

  const openOne = async (options: EventStoreOptions = {}): Promise<ClosableEventStore<string>> => {
    const one = await STORES[name]?.(options);
    if (!one) throw new Error(`There is no store ${name}`);
    opened.push(one);
    return one[0];
  };
  const newRun = (): string => `${name}-${++counter}`;

  afterEach(async () => {
    for (const [store, close] of opened.splice(0)) {
      await store.close();
      await close();
    }
  });

  /** The stores of two web servers. */
  async function servers(options: EventStoreOptions = {}) {
    const one = await openOne(options);
    return { one, two: name === "memory" ? one : await openOne(options) };
  }

  test(`can be read from any offset, on another web server${title}`, async () => {
    const { one, two } = await servers();
    const run = newRun();
    expect(await one.append(run, "a")).toBe(1);
    expect(await one.append(run, "Grüße \u0000 🌍 \ud800")).toBe(2);
    const seen: [number, string][] = [];
    const reading = (async () => {
      for await (const entry of two.read(run)) seen.push(entry);
    })();
    await one.append(run, "c");
    await one.end(run);
    await one.end(run);
    await soon("the end of the run", reading);
    expect(seen).toEqual([
      [1, "a"],
      [2, "Grüße \u0000 🌍 \ud800"],
      [3, "c"],
    ]);
    expect(await collect(two.read(run, 2))).toEqual([[3, "c"]]);
    expect(await collect(two.read(run, 3))).toEqual([]);
    await expect(one.append(run, "d")).rejects.toThrow(`The run ${run} has ended`);
  });

  test(`can be awaited before the run begins, until the signal aborts${title}`, async () => {
    const { one, two } = await servers();
    const run = newRun();
    const first = two.read(run)[Symbol.asyncIterator]();
    const early = first.next();
    const over = new AbortController();
    const others = Array.from({ length: 5 }, () => collect(one.read(`${run}-never`, 0, over.signal)));
    expect(await two.has(run)).toBe(false);
    await one.append(run, "a");
    expect([await two.has(run), await two.has(`${run}-never`)]).toEqual([true, false]);
    expect(await soon("the first event", early)).toEqual({ done: false, value: [1, "a"] });
    const next = first.next();
    over.abort();
    expect(await soon("the end of the readers", Promise.all(others))).toEqual([[], [], [], [], []]);
    await two.append(run, "b");
    expect(await soon("the second event", next)).toEqual({ done: false, value: [2, "b"] });
    const last = first.next();
    await one.end(run);
    expect(await soon("the end", last)).toEqual({ done: true, value: undefined });
    expect(await collect(two.read(run, 0, AbortSignal.abort()))).toEqual([]);
  });

  test(`that were dropped are replaced by one snapshot${title}`, async () => {
    const { one, two } = await servers({ keepEvents: 2 });
    const run = newRun();
    for (const event of ["a", "b", "c", "d", "e", "f"]) await one.append(run, event);
    await one.snapshot(run, 5, "a-e");
    await one.snapshot(run, 4, "an older one");
    await one.snapshot(run, 9, "one of the future");
    await one.end(run);
    expect(await collect(two.read(run))).toEqual([
      [5, "a-e"],
      [6, "f"],
    ]);
    expect(await collect(two.read(run, 2))).toEqual([
      [5, "a-e"],
      [6, "f"],
    ]);
    // A reader that is only slightly behind receives the events themselves.
    expect(await collect(two.read(run, 3))).toEqual([
      [4, "d"],
      [5, "e"],
      [6, "f"],
    ]);
    await expect(collect(two.read(run, 7))).rejects.toThrow(`The events of the run ${run} after 7 are gone`);
  });

  test(`come in pages${title}`, async () => {
    const { one, two } = await servers();
    const run = newRun();
    const count = 600;
    await Promise.all(Array.from({ length: count }, () => one.append(run, "x")));
    await one.end(run);
    expect((await collect(two.read(run))).map(([offset]) => offset)).toEqual(
      Array.from({ length: count }, (_, index) => index + 1),
    );
  });

  test(`stop from another web server, once or many times, early or late${title}`, async () => {
    const { one, two } = await servers();
    const run = newRun();
    const over = new AbortController();
    await one.append(run, "a");
    const stopped = whenStopped(one, run, over.signal);
    await stopRun(two, run);
    expect(await soon("the stop", stopped)).toBe(true);
    await stopRun(two, run);
    // Before the process that executes the run has looked.
    await one.begin(`${run}-early`);
    await stopRun(two, `${run}-early`);
    expect(await soon("the early stop", whenStopped(one, `${run}-early`, over.signal))).toBe(true);
    // The process that executes the run waits for a stop before the first event.
    const waiting = whenStopped(one, `${run}-waiting`, over.signal);
    await soon("the registration", untilKnown(two, `${run}-waiting/stop`));
    await stopRun(two, `${run}-waiting`);
    expect(await soon("the stop before the first event", waiting)).toBe(true);
    const running = whenStopped(one, `${run}-other`, over.signal);
    over.abort();
    expect(await soon("the end of waiting", running)).toBe(false);
    await stopRun(two, `${run}-other`);
  });

  test(`keep nothing of a request to stop an unknown run${title}`, async () => {
    const { one, two } = await servers();
    const run = newRun();
    await stopRun(two, run);
    expect([await one.has(run), await one.has(`${run}/stop`)]).toEqual([false, false]);
    await one.append(run, "a");
    for (const suffix of ["", "/stop", "/stop/stop"]) await stopRun(two, `${run}${suffix}`);
    expect([await one.has(`${run}/stop`), await one.has(`${run}/stop/stop`)]).toEqual([true, false]);
  });

  test(`know a run that has begun without an event, once and for all${title}`, async () => {
    const { one, two } = await servers();
    const run = newRun();
    await one.begin(run);
    expect([await two.has(run), await two.has(`${run}/other`)]).toEqual([true, false]);
    expect(await one.append(run, "a")).toBe(1);
    await one.begin(run);
    await one.end(run);
    await one.begin(run);
    expect(await collect(two.read(run))).toEqual([[1, "a"]]);
    await expect(one.append(run, "b")).rejects.toThrow("has ended");
    await one.begin(`${run}-empty`);
    const reading = collect(two.read(`${run}-empty`));
    await one.end(`${run}-empty`);
    expect(await soon("the end of the run without events", reading)).toEqual([]);
  });

  test(`belong to their owner${title}`, async () => {
    const { one, two } = await servers();
    const run = newRun();
    const [alice, sameAlice, bob] = [runsOf(one, "alice"), runsOf(two, "alice"), runsOf(two, "bob")];
    const over = new AbortController();
    await alice.append(run, "a");
    const stopped = whenStopped(alice, run, over.signal);
    await soon("the registration", untilKnown(sameAlice, `${run}/stop`));
    expect([await sameAlice.has?.(run), await bob.has?.(run), await two.has(run)]).toEqual([true, false, false]);
    expect(await two.has(`${createHash("sha256").update("alice").digest("hex")}/${run}`)).toBe(true);
    await stopRun(bob, run);
    // Nor in the process of the run, which knows it without the store.
    await stopRun(runsOf(one, "bob"), run);
    expect(await bob.has?.(`${run}/stop`)).toBe(false);
    await bob.end(run);
    await bob.snapshot(run, 1, "b");
    expect(await alice.append(run, "b")).toBe(2);
    await stopRun(sameAlice, run);
    expect(await soon("the stop", stopped)).toBe(true);
    await alice.end(run);
    expect(await collect(sameAlice.read(run))).toEqual([
      [1, "a"],
      [2, "b"],
    ]);
    expect(await collect(bob.read(run))).toEqual([]);
    const nested = runsOf(runsOf(two, "alice"), "bob");
    expect([await nested.has?.(run), await runsOf(bob, "alice").has?.(run)]).toEqual([false, false]);
  });

  test(`reject invalid ids and offsets${title}`, async () => {
    const { one } = await servers();
    for (const id of ["", "a\u0000", "\ud800", "x".repeat(257)])
      await expect(one.append(id, "a")).rejects.toThrow("The id of a run must have 1 to 256 characters");
    for (const offset of [-1, 0.5, Number.NaN])
      expect(() => one.read("a", offset)).toThrow("An offset must be an integer of 0 or more");
    // biome-ignore lint/suspicious/noExplicitAny: plain JavaScript may pass anything.
    await expect(one.append("a", undefined as any)).rejects.toThrow("An event must be a JSON value");
    const strange = `${newRun()}:facts {x} '; --`;
    await one.append(strange, "a");
    await one.append(`${strange}:facts`, "b");
    await one.end(strange);
    expect(await collect(one.read(strange))).toEqual([[1, "a"]]);
  });

  test(`reach readers that come and go, each once and in order${title}`, async () => {
    const { one, two } = await servers({ keepEvents: 3 });
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.constant("append" as const) },
      { weight: 1, arbitrary: fc.constant("snapshot" as const) },
    );
    const visits = fc.array(fc.nat({ max: 9 }), { maxLength: 8 });
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.array(visits, { minLength: 1, maxLength: 3 }),
      async (steps, readers) => {
        const run = newRun();
        const reading = readers.map((reader) => readInVisits(run, reader, [two, one]));
        let last = 0;
        for (const each of steps) {
          if (each === "append") last = await one.append(run, String(last + 1));
          else await one.snapshot(run, last, `up to ${last}`);
        }
        await one.end(run);
        for (const seen of await soon("the end of all readers", Promise.all(reading))) expectComplete(seen, last);
      },
    );
    await fc.assert(property, { numRuns: budget({ quick: 15, all: 150 }), seed: 7 });
  });
});

describe("events in PostgreSQL", () => {
  const test = it.skipIf(noPostgres !== undefined);
  const title = noPostgres ? ` (skipped: ${noPostgres})` : "";
  let pool: pg.Pool;
  beforeAll(() => {
    pool = new pg.Pool({ host: database?.folder ?? "", user: "test", database: "postgres", max: 3 });
  });
  afterAll(() => pool.end());

  test(`are added once when the connection breaks after the statement${title}`, async () => {
    let breaking = false;
    const query = async (text: string, values?: string[]) => {
      const outcome = await pool.query(text, values);
      if (!(breaking && text.includes("INSERT"))) return outcome;
      breaking = false;
      throw new Error("Connection terminated unexpectedly");
    };
    const store = createPostgresEventStore<string>({ query });
    await store.append("broken", "a");
    breaking = true;
    expect(await store.append("broken", "b")).toBe(2);
    expect(await store.append("broken", "c")).toBe(3);
    await store.end("broken");
    expect((await collect(store.read("broken"))).map(([, event]) => event)).toEqual(["a", "b", "c"]);
  });

  test(`are deleted some time after the last one${title}`, async () => {
    const store = createPostgresEventStore<string>(pool, { tablePrefix: "old_", retainMs: 60_000 });
    await store.append("a", "one");
    await store.end("a");
    await pool.query("UPDATE old_event_runs SET updated_at = now() - interval '61 seconds'");
    await store.append("b", "two");
    await store.end("b");
    expect((await pool.query("SELECT run FROM old_events")).rows).toEqual([{ run: "b" }]);
    await expect(collect(store.read("a", 1))).rejects.toThrow("The events of the run a after 1 are gone");
  });

  test(`report a failure of the database to waiting readers${title}`, async () => {
    let isDown = false;
    const query = async (text: string, values?: string[]) => {
      if (isDown) throw new Error("ECONNREFUSED");
      return pool.query(text, values);
    };
    const store = createPostgresEventStore<string>({ query }, { pollMs: 1 });
    const reading = collect(store.read("waiting"));
    isDown = true;
    await expect(soon("the failure", reading)).rejects.toThrow("ECONNREFUSED");
  });
});

describe("events in memory", () => {
  it("have no owner without a name", () => {
    const store = createMemoryEventStore<string>();
    // biome-ignore lint/suspicious/noExplicitAny: plain JavaScript may pass anything.
    for (const owner of ["", undefined, null, 5, {}] as any[])
      expect(() => runsOf(store, owner)).toThrow("The owner of a run must be a text");
  });

  it("are dropped some time after the end of their run", async () => {
    vi.useFakeTimers();
    const store = createMemoryEventStore<string>({ retainMs: 1000 });
    await store.append("a", "one");
    await store.end("a");
    vi.advanceTimersByTime(999);
    expect(await collect(store.read("a"))).toEqual([[1, "one"]]);
    vi.advanceTimersByTime(1);
    await expect(collect(store.read("a", 1))).rejects.toThrow("The events of the run a after 1 are gone");
    await store.close();
    vi.useRealTimers();
  });
});

describe("events in Redis", () => {
  it.skipIf(noRedis !== undefined)(
    `have a time to live, counted from the last one${noRedis ? ` (skipped: ${noRedis})` : ""}`,
    async () => {
      const client = new Redis({ path: redis?.socket ?? "" });
      const store = createRedisEventStore<string>(client, { prefix: "ttl:", retainMs: 60_000 });
      await store.append("a", "one");
      const keys = await client.keys("ttl:*");
      expect(keys.sort()).toEqual(["ttl:facts:a", "ttl:run:a"]);
      const times = await Promise.all(keys.map((key) => client.pttl(key)));
      for (const time of times) expect(time).toBeGreaterThan(0);
      for (const time of times) expect(time).toBeLessThanOrEqual(60_000);
      await client.del(keys);
      await expect(collect(store.read("a", 1))).rejects.toThrow("The events of the run a after 1 are gone");
      await store.close();
      client.disconnect();
    },
  );

  it.skipIf(noRedis !== undefined)(
    `reach readers whose server has lost its connection in between${noRedis ? ` (skipped: ${noRedis})` : ""}`,
    async () => {
      const client = new Redis({ path: redis?.socket ?? "" });
      const store = createRedisEventStore<string>(client);
      const reading = store.read("lost")[Symbol.asyncIterator]();
      await store.append("lost", "a");
      await reading.next();
      const next = reading.next();
      await client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      await store.append("lost", "b");
      expect(await soon("the event after the loss", next)).toEqual({ done: false, value: [2, "b"] });
      await store.close();
      client.disconnect();
    },
  );
});

/** Reads a few events on each visit, on alternating servers, and the rest on the last one. */
async function readInVisits(
  run: string,
  visits: readonly number[],
  stores: readonly ClosableEventStore<string>[],
): Promise<[number, string][]> {
  const seen: [number, string][] = [];
  for (const [index, count] of [...visits, Number.POSITIVE_INFINITY].entries()) {
    const store = stores[index % stores.length];
    const leaving = new AbortController();
    let left = count;
    if (!store || left === 0) continue;
    for await (const entry of store.read(run, seen.at(-1)?.[0] ?? 0, leaving.signal)) {
      seen.push(entry);
      if (--left <= 0) break;
    }
    leaving.abort();
  }
  return seen;
}

/** Every event once and in order; a snapshot replaces those that it covers. */
function expectComplete(seen: readonly [number, string][], last: number): void {
  let before = 0;
  for (const [offset, event] of seen) {
    expect(offset).toBeGreaterThan(before);
    if (offset === before + 1 && event === String(offset)) before = offset;
    else {
      expect(event).toBe(`up to ${offset}`);
      before = offset;
    }
  }
  expect(before).toBe(last);
}

async function untilKnown(store: EventStore<string>, run: string): Promise<void> {
  while (!(await store.has?.(run))) await new Promise(setImmediate);
}

async function collect(events: AsyncIterable<[number, string]>): Promise<[number, string][]> {
  const seen: [number, string][] = [];
  for await (const entry of events) seen.push(entry);
  return seen;
}
