/** Random sessions with the models of the price table: no vendor refuses a request, and none costs more than its limit. */
import { expect, test } from "vitest";
import { budget } from "../../../../test/support/suite.js";
import { playSessions } from "./play-session.internal.js";
import { SESSION_ROWS } from "./rows.js";

const SESSIONS = budget({ quick: 2, all: 6 });

test.each(SESSION_ROWS)("$name", async (row) => {
  const { refused, dead, price, ideal, summaries, requests } = await playSessions(row, {
    sessions: SESSIONS,
    requests: 80,
    seed: 1,
  });
  expect(refused).toEqual([]);
  expect(dead).toBe(0);
  expect(requests).toBeGreaterThanOrEqual(SESSIONS * 80);
  expect(summaries).toBeGreaterThan(0);
  expect(price / ideal).toBeGreaterThan(1);
  expect(price / ideal).toBeLessThan(row.most);
});
