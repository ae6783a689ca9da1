/** kill -9 again and again while a run keeps its steps in a file. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { answerApproval } from "pi-agent/durable/session";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DIES_WITH_PARENT } from "../../../../test/support/child-flags.js";
import { judge, readLedger, referenceTranscript } from "./engines/storm.js";

const SOURCES = resolve(import.meta.dirname, "../../../../scripts/resolve-sources.ts");
const WORKER = join(import.meta.dirname, "engines/worker-session.ts");

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "session-kills-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function countSteps(file: string): number {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length : 0;
}

/** Runs a process until it has remembered some steps, or to its end. Returns whether it was killed. */
async function runFor(steps: number, file: string, ledger: string): Promise<boolean> {
  const last = countSteps(file) + steps;
  const child = spawn(process.execPath, [...DIES_WITH_PARENT, "--import", SOURCES, WORKER, file, ledger], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(child, "exit");
  let isOver = false;
  ended.then(() => {
    isOver = true;
  });
  while (!isOver && countSteps(file) < last) {
    const waiting = readLedger(ledger).find((line) => line.kind === "approval");
    if (waiting) await answerApproval(file, waiting.name, { approved: true });
    await new Promise((resolve) => setImmediate(resolve));
  }
  child.kill("SIGKILL");
  await ended;
  return child.signalCode === "SIGKILL";
}

test.each([3, 7])("a run ends right when each process dies after %i steps", async (steps) => {
  const ledger = join(folder, "ledger.jsonl");
  writeFileSync(ledger, "");
  let kills = 0;
  while (!readLedger(ledger).some((line) => line.kind === "finished")) {
    if (await runFor(steps, join(folder, "run.jsonl"), ledger)) kills++;
    expect(kills).toBeLessThan(100);
  }
  const report = judge(readLedger(ledger), 1, kills, await referenceTranscript());
  const nothing = { toolsTwice: [], paidTwice: [], wrongTranscripts: [], failures: [] };
  expect(report).toMatchObject({ finished: 1, ...nothing });
  expect(kills).toBeGreaterThan(0);
});
