/** The recipe of docs/durable.md for OpenWorkflow, with a worker that is killed in the middle of a run. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { findMissingEngines } from "../../../../../examples/durable/engines/install-engines.js";
import { DIES_WITH_PARENT } from "../../../../../test/support/child-flags.js";
import { eventually } from "../../../../../test/support/patience.js";

const SOURCES = resolve(import.meta.dirname, "../../../../../scripts/resolve-sources.ts");

test("OpenWorkflow on SQLite continues a run in another process", async (context) => {
  const missing = findMissingEngines();
  if (missing) context.skip(missing);
  const folder = mkdtempSync(join(tmpdir(), "openworkflow-"));
  const ledger = join(folder, "ledger.jsonl");
  writeFileSync(ledger, "");
  const start = (word: string) => {
    const program = join(import.meta.dirname, "worker-openworkflow.ts");
    const flags = [...DIES_WITH_PARENT, "--import", SOURCES, program, join(folder, "runs.sqlite"), ledger, word];
    return spawn(process.execPath, flags, { stdio: "ignore" });
  };
  const count = (kind: string): number => readFileSync(ledger, "utf8").split(`"kind":"${kind}"`).length - 1;
  const seen = (kind: string): Promise<void> => eventually(() => expect(count(kind)).toBeGreaterThan(0));
  const first = start("begin");
  try {
    await seen("complete");
    first.kill("SIGKILL");
    await once(first, "exit");
    const requests = count("request");
    const second = start("continue");
    await seen("finished");
    second.kill("SIGKILL");
    await once(second, "exit");
    // Three turns with tools, and two responses without; one of them may have been under way when the first process died.
    expect(requests).toBeGreaterThan(0);
    expect(count("request")).toBeLessThanOrEqual(6);
    expect(count("finished")).toBe(1);
  } finally {
    first.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});
