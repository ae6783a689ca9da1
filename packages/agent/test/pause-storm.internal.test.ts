/** A few conversations whose processes are killed; `pause-storm.internal.full.test.ts` plays many. */
import { expect, test } from "vitest";
import { PATIENCE_MS } from "../../../test/support/patience.js";
import { runPauseStorm } from "./pause-storm.internal.js";

test.each(["jsonl", "sqlite"])(
  "a conversation in a session of %s outlives its processes",
  { timeout: PATIENCE_MS },
  async (store) => {
    const { faults, deaths } = await runPauseStorm(store, { seed: 51_200_000, conversations: 1, deaths: 2 });
    expect(faults).toEqual([]);
    expect(deaths).toBeGreaterThan(0);
  },
);
