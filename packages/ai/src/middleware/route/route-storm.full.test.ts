import { describe, expect, it } from "vitest";
import { budget } from "../../../../../test/support/suite.js";
import { SERVERS, type StormResult, storm } from "../../../test/support/route-storm.js";

const REQUESTS = budget({ quick: 3000, all: 10_000 });

/** The most requests to servers for each request to the route. */
const MOST: readonly [server: string, most: number][] = [
  ["2 % in bursts of 20 requests, retry-after 1", 1.05],
  ["2 % in bursts of 64 requests, retry-after 1", 1.05],
  ["2 % one by one, retry-after 1", 1.05],
  ["3 seconds in each minute, retry-after 1", 1.05],
  ["3 seconds in each minute, no retry-after", 1.1],
  ["2 % in bursts of 20 requests, 529", 1.05],
  ["2 % one by one, 500", 1.05],
  ["at most 20 requests a second, retry-after 1", 1.1],
];

/** As many requests as given, 64 at a time. */
function send(name: string, models: number, requests: number): Promise<StormResult> {
  const server = SERVERS.get(name);
  if (!server) throw new Error(`No server ${name}`);
  return storm({ server, models, requests });
}

describe.each([1, 3])(`${REQUESTS} requests, 64 at a time, on a route of %i`, (models) => {
  it.each(MOST)("all finish: %s", { timeout: 120_000 }, async (name, most) => {
    const result = await send(name, models, REQUESTS);
    expect(result.failures).toEqual([]);
    expect(result.requestsEach).toBeGreaterThan(1);
    expect(result.requestsEach).toBeLessThanOrEqual(most);
  });
});

it("all finish beside a dead model", async () => {
  const result = await send("the first model is dead", 3, 500);
  expect(result).toMatchObject({ finished: 500, failures: [] });
});

it("a dead route says so", async () => {
  const refusing = await send("the first model refuses everything", 1, 200);
  const dead = await send("the first model is dead", 1, 200);
  expect(refusing.failures).toHaveLength(200);
  for (const { kind, retryAfterMs } of refusing.failures) {
    expect(kind).toBe("rate_limit");
    expect(retryAfterMs).toBeGreaterThan(0);
  }
  for (const { kind } of dead.failures) expect(["server", "overloaded"]).toContain(kind);
});
