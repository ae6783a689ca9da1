/** Processes that contend for a lock are killed at random. `npm run task locks:storm` does it for 1,000 rounds. */
import { expect, test } from "vitest";
import { budget } from "../../../../test/support/suite.js";
import { runStorm } from "./storm.js";

test("no lock has two owners, is lost, or leaves files behind, whenever a process is killed", async () => {
  const rounds = budget({ quick: 3, all: 60 });
  const { killedHolding, killedOutside, ...report } = await runStorm({ rounds, seed: 38 });
  expect(report).toMatchObject({ rounds, doubleOwners: 0, deadlocks: 0, leftOver: [] });
  expect(killedHolding + killedOutside).toBeGreaterThanOrEqual(rounds);
});
