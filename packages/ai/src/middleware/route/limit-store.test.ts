import { createClient } from "@redis/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noRedis, startRedis } from "../../../../../test/support/database-servers.js";
import { readLimitHeaders } from "./limit-headers.js";
import { type LimitStore, MemoryLimitStore } from "./limit-store.js";
import { createRedisLimitStore } from "./redis-limit-store.js";

/** The contract of every store. Each test uses its own key. */
function promises(createStore: (now: () => number) => LimitStore): void {
  const minute = 60_000;
  const create = (): LimitStore => {
    let time = 0;
    const store = createStore(() => time);
    const at = <Result>(now: number, work: () => Result): Result => {
      time = now;
      return work();
    };
    return {
      take: (key, tokens, limit, now) => at(now, () => store.take(key, tokens, limit, now)),
      release: (key, tokens, limit, now) => at(now, () => store.release(key, tokens, limit, now)),
      learn: (key, learned, limit, now) => at(now, () => store.learn(key, learned, limit, now)),
    };
  };

  it("admits a minute's quota at once, then one request at a time", async () => {
    const store = create();
    const limit = { rpm: 2 };
    expect(await store.take("rpm", 0, limit, 0)).toBe(0);
    expect(await store.take("rpm", 0, limit, 0)).toBe(0);
    expect(await store.take("rpm", 0, limit, 0)).toBe(minute / 2);
    expect(await store.take("rpm", 0, limit, minute / 2)).toBe(0);
    expect(await store.take("rpm", 0, limit, minute / 2)).toBe(minute / 2);
  });

  it("counts tokens, corrects them at the end, and admits an oversized request to a full bucket", async () => {
    const store = create();
    const limit = { tpm: 1000 };
    expect(await store.take("tpm", 5000, limit, 0)).toBe(0);
    expect(await store.take("tpm", 10, limit, 0)).toBe((4010 / 1000) * minute);
    await store.release("tpm", -4500, limit, 0);
    expect(await store.take("tpm", 400, limit, 0)).toBe(0);
    await store.release("tpm", 100, limit, 0);
    expect(await store.take("tpm", 100, limit, 0)).toBe(minute / 10);
  });

  it("counts concurrent requests", async () => {
    const store = create();
    const limit = { concurrency: 1 };
    expect(await store.take("running", 0, limit, 0)).toBe(0);
    expect(await store.take("running", 0, limit, 0)).toBeGreaterThan(0);
    await store.release("running", 0, limit, 0);
    expect(await store.take("running", 0, limit, 0)).toBe(0);
  });

  it("applies the remaining quota that a server reports, and waits for its reset", async () => {
    const store = create();
    const limit = { rpm: 100 };
    await store.learn("learn", { requestsLeft: 1, resetMs: 9000 }, limit, 0);
    expect(await store.take("learn", 0, limit, 0)).toBe(0);
    expect(await store.take("learn", 0, limit, 0)).toBe(600);
    await store.learn("learn", { requestsLeft: 0, resetMs: 9000 }, limit, 0);
    expect(await store.take("learn", 0, limit, 0)).toBe(9000);
    await store.learn("learn", { resetMs: 20_000 }, limit, 0);
    expect(await store.take("learn", 0, limit, 0)).toBe(20_000);
    expect(await store.take("learn", 0, limit, 20_000)).toBe(0);
  });
}

describe("MemoryLimitStore", () => {
  promises(() => new MemoryLimitStore());
});

describe.skipIf(noRedis)(`createRedisLimitStore${noRedis ? ` (skipped: ${noRedis})` : ""}`, () => {
  let stop: () => Promise<void>;
  let client: ReturnType<typeof createClient>;
  beforeAll(async () => {
    const server = await startRedis();
    client = createClient({ socket: { path: server.socket, tls: false } });
    await client.connect();
    stop = async () => {
      client.destroy();
      await server.stop();
    };
  });
  afterAll(() => stop());

  let count = 0;
  promises((now) => createRedisLimitStore(client, { prefix: `test-${count++}:`, now }));

  it("goes by the time of Redis, so that the clocks of its users do not matter", async () => {
    const store = createRedisLimitStore(client, { prefix: "time:" });
    const limit = { rpm: 1 };
    expect(await store.take("key", 0, limit, 5e12)).toBe(0);
    const wait = Number(await store.take("key", 0, limit, 0));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60_000);
  });

  it("never admits more than the limit, regardless of the number of concurrent callers", async () => {
    const store = createRedisLimitStore(client, { prefix: "many:" });
    const waits = await Promise.all(Array.from({ length: 50 }, () => store.take("key", 0, { rpm: 7 }, 0)));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(7);
  });
});

describe("readLimitHeaders", () => {
  it.each([
    [
      {
        "x-ratelimit-remaining-requests": "3",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "6m0.5s",
      },
      { requestsLeft: 3, tokensLeft: 0, resetMs: 360_500 },
    ],
    [
      { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20ms" },
      { requestsLeft: 0, resetMs: 20 },
    ],
    [
      { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "12" },
      { requestsLeft: 0, resetMs: 12_000 },
    ],
    [
      { "anthropic-ratelimit-requests-remaining": "0", "anthropic-ratelimit-requests-reset": "1970-01-01T00:00:05Z" },
      { requestsLeft: 0, resetMs: 5000 },
    ],
    [{ "x-ratelimit-remaining-requests": "-1" }, undefined],
    [{ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "a year" }, { requestsLeft: 0 }],
    [{}, undefined],
  ])("reads %j", (headers, expected) => {
    expect(readLimitHeaders(headers as Record<string, string>, 0)).toEqual(expected);
  });
});
