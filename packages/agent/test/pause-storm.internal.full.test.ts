/** kill -9 between question, answer, call and result, without an engine: real processes, and nothing but a session. */
import { expect, test } from "vitest";
import { runPauseStorm } from "./pause-storm.internal.js";

const CONVERSATIONS = 20;
const FIRST_SEED = 51_210_000;

test.each(["jsonl", "sqlite"])(
  "an approved call never runs twice, a declined one never, and no conversation is lost, in sessions of %s",
  { timeout: CONVERSATIONS * 60_000 },
  async (store) => {
    const { faults, ...counts } = await runPauseStorm(store, {
      seed: FIRST_SEED,
      conversations: CONVERSATIONS,
      deaths: 10,
    });
    expect(faults).toEqual([]);
    // The storm does what it should.
    expect(counts.deaths).toBeGreaterThan(CONVERSATIONS);
    for (const count of ["ran", "declined", "unknown", "refused"] as const)
      expect(counts[count], count).toBeGreaterThan(0);
  },
);
