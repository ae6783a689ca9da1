/** A durable agent on real engines whose workers stop at chosen moments. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findMissingEngines } from "../../../../../examples/durable/engines/install-engines.js";
import { noPostgres } from "../../../../../test/support/database-servers.js";
import { eventually, soon } from "../../../../../test/support/patience.js";
import type { LedgerLine } from "./storm-agent.js";
import { type StormEngine, startDbos, startRestate } from "./storm-engines.js";

const ENGINES = {
  Restate: { start: startRestate, missing: undefined, ended: "killed" },
  DBOS: { start: startDbos, missing: noPostgres, ended: "The code has changed since the run began" },
};
const YES = { approved: true };

const noEngines = findMissingEngines();
let folder: string;
let ledger: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "engines-"));
  ledger = join(folder, "ledger.jsonl");
  writeFileSync(ledger, "");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function linesOf<TKind extends LedgerLine["kind"]>(kind: TKind): Extract<LedgerLine, { kind: TKind }>[] {
  const lines: LedgerLine[] = readFileSync(ledger, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  return lines.filter((line): line is Extract<LedgerLine, { kind: TKind }> => line.kind === kind);
}

/** Waits for a line of the ledger. */
function seen<TKind extends LedgerLine["kind"]>(kind: TKind): Promise<Extract<LedgerLine, { kind: TKind }>> {
  return eventually(() => {
    const [line] = linesOf(kind);
    if (!line) throw new Error(`No ${kind} yet`);
    return line;
  });
}

async function startWorker(engine: StormEngine, code?: "changed"): Promise<ChildProcess> {
  const worker = engine.startWorker(0, code);
  if (worker.stdout) await soon("The worker", once(worker.stdout, "data"));
  return worker;
}

async function kill(worker: ChildProcess): Promise<void> {
  worker.kill("SIGKILL");
  await once(worker, "exit");
}

describe.each(Object.entries(ENGINES))("%s", (_name, { start, missing, ended }) => {
  let engine: StormEngine;
  let worker: ChildProcess;

  beforeEach(async (context) => {
    const reason = noEngines ?? missing;
    if (reason) context.skip(reason);
    engine = await start(ledger);
    worker = await startWorker(engine);
    await engine.begin();
    await engine.start("run-1");
  });

  afterEach(async () => {
    worker?.kill("SIGKILL");
    await engine?.stop();
  });

  test("accepts an approval that arrives while no worker is running", async () => {
    const { name } = await seen("approval");
    await kill(worker);
    await engine.answer("run-1", name, YES);
    expect(linesOf("tool").some(({ key }) => key.startsWith("pay") && key.includes(":2:"))).toBe(false);
    worker = await startWorker(engine);
    const { transcript, unknown } = await seen("finished");
    expect(transcript).toContain("pay of turn 1");
    expect(unknown).toEqual([]);
  });

  test("never runs a tool that was declined after a restart", async () => {
    const { name } = await seen("approval");
    await kill(worker);
    worker = await startWorker(engine);
    await engine.answer("run-1", name, { approved: false, reason: "Too dear" });
    const { transcript } = await seen("finished");
    expect(transcript).toContain("The call of pay was declined: Too dear");
    expect(transcript).not.toContain("pay of turn 1");
    expect(linesOf("tool").some(({ key }) => key.startsWith("pay") && key.includes(":2:"))).toBe(false);
  });

  test("ends a run with a clear error if changed code takes it over", async () => {
    await seen("approval");
    await kill(worker);
    worker = await startWorker(engine, "changed");
    const { error } = await seen("failed");
    expect(error).toContain('is "beforeToolCall 1:call_0", but "approvals 1:call_0 1:call_1 1:call_2" was remembered');
    const outcome = await eventually(async () => {
      const text = await engine.outcome("run-1");
      if (text === undefined) throw new Error("The run has not ended");
      return text;
    });
    expect(outcome).toContain(ended);
    expect(linesOf("failed")).toHaveLength(1);
  });
});
