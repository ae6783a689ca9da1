/**
 * Whatever a page does to the conversation that it holds: a call runs at most once, with exactly what was shown and signed, before
 * its time, in its conversation.
 */
import { beforeEach, expect, test, vi } from "vitest";
import { budget } from "../../../test/support/suite.js";
import { playHostilePage, ROUTES } from "./hostile-page.js";

const SEQUENCES = budget({ quick: 100, all: 2500 });
const FIRST_SEED = 57_000_000;

// Each refused run is told to the server.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

test.each(ROUTES)(
  `${SEQUENCES} sequences of a page: %s`,
  async (route) => {
    let ran = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEQUENCES; seed++) {
      const played = await playHostilePage(seed, route);
      expect(played.faults, `seed ${seed}`).toEqual([]);
      ran += played.ran;
    }
    // The page gets what it may have.
    expect(ran).toBeGreaterThan(SEQUENCES / 10);
  },
  // So long only beside other work.
  SEQUENCES * 2000,
);

test.each(ROUTES)("finds what runs if every signature counts: %s", async (route) => {
  const check = vi.spyOn(crypto.subtle, "verify").mockResolvedValue(true);
  try {
    const faults: string[] = [];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + 100 && faults.length === 0; seed++)
      faults.push(...(await playHostilePage(seed, route)).faults);
    expect(faults.join()).toMatch(/^ran /);
  } finally {
    check.mockRestore();
  }
});
