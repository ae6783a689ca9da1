/** kill -9 at random moments on real engines. `npm run task durable:storm` kills 200 times each. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findMissingEngines } from "../../../../../examples/durable/engines/install-engines.js";
import { noPostgres } from "../../../../../test/support/database-servers.js";
import { stormKills } from "../../../../../test/support/suite.js";
import { runStorm } from "./storm.js";
import { type StormEngine, startDbos, startRestate } from "./storm-engines.js";

/** 200 kills take some minutes on a busy machine. In milliseconds. */
const PATIENCE = 1_800_000;

const noEngines = findMissingEngines();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "storm-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function storm(name: string, start: (ledger: string) => Promise<StormEngine>): Promise<void> {
  const ledger = join(folder, `${name}.jsonl`);
  const engine = await start(ledger);
  const report = await runStorm(engine, ledger, stormKills).finally(() => engine.stop());
  process.stdout.write(`${name}: ${JSON.stringify(report)}\n`);
  const { runs: finished } = report;
  const nothing = { toolsTwice: [], paidTwice: [], wrongTranscripts: [], failures: [] };
  expect(report).toMatchObject({ finished, ...nothing });
  expect(report.kills).toBeGreaterThanOrEqual(stormKills);
}

test(
  `Restate finishes every run through ${stormKills} kills`,
  async (context) => {
    if (noEngines) context.skip(noEngines);
    await storm("Restate", startRestate);
  },
  PATIENCE,
);

test(
  `DBOS finishes every run through ${stormKills} kills`,
  async (context) => {
    if (noEngines ?? noPostgres) context.skip(noEngines ?? noPostgres);
    await storm("DBOS", startDbos);
  },
  PATIENCE,
);
