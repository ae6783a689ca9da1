/** kill -9 and take-overs at any moment, with real processes on one file, one SQLite file and one PostgreSQL database. */
import { expect, test } from "vitest";
import { noPostgres } from "../../../../../test/support/database-servers.js";
import { stormSeed } from "../../../../../test/support/suite.js";
import { runSessionStorm } from "./session-storm.js";

const CONVERSATIONS = 6;
const STORES = ["jsonl", "sqlite", "pg"].map((name) => {
  const reason = name === "pg" ? noPostgres : undefined;
  return { name, isSkipped: reason !== undefined, title: reason ? ` (skipped: ${reason})` : "" };
});

for (const { name, isSkipped, title } of STORES)
  test.skipIf(isSkipped)(
    `nothing that was stored is lost, and what was approved runs at most once, in sessions of ${name}${title}`,
    { timeout: CONVERSATIONS * 60_000 },
    async () => {
      const { faults, ...counts } = await runSessionStorm(name, { seed: stormSeed, conversations: CONVERSATIONS });
      process.stdout.write(`${name}: ${JSON.stringify(counts)}\n`);
      expect(faults).toEqual([]);
      // The storm does what it should.
      const expected = ["killed", "stored", "ran", name === "jsonl" ? "refused" : "lost"] as const;
      for (const count of expected) expect(counts[count], count).toBeGreaterThan(0);
    },
  );
