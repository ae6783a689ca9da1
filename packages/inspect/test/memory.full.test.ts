/** Measures the memory that the inspector keeps, each time in a process of its own. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { PATIENCE_MS } from "../../../test/support/patience.js";

const RESOLVE = join(import.meta.dirname, "../../../scripts/resolve-sources.ts");
const PROGRAM = join(import.meta.dirname, "support/heap-of.internal.ts");
const BOUND = 100 * 1024 * 1024;

async function measure(...words: string[]): Promise<{ bytes: number; runs: number; entries: number }> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--no-warnings", "--import", RESOLVE, PROGRAM, ...words],
    { timeout: PATIENCE_MS },
  );
  return JSON.parse(stdout);
}

it.each([
  ["100 live runs with 100 turns each", "live", { runs: 100, entries: 200 }],
  ["a live run of 10,000 turns", "long", { runs: 1, entries: 20_000 }],
] as const)("keeps %s in less than 100 MiB of memory", async (_, scenario, counts) => {
  const measured = await measure(scenario);
  expect(measured).toMatchObject(counts);
  expect(measured.bytes).toBeLessThan(BOUND);
});

it.each([
  [10_000, "200000"],
  [60_000, "50000"],
])(
  "keeps a session log of %d turns in less than 100 MiB of memory, with a limit of %s entries",
  async (turns, limit) => {
    const folder = await mkdtemp(join(tmpdir(), "inspect-memory-"));
    try {
      const path = join(folder, "long.jsonl");
      await writeLog(path, turns);
      const measured = await measure(path, limit);
      expect(measured).toMatchObject({ runs: 1, entries: 2 * turns });
      expect(measured.bytes).toBeLessThan(BOUND);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

/** A tenth of what `pi-inspect` keeps. Kept as a whole, the files would take several times the bound. */
it.each([
  ["a cassette of 20,000 exchanges", writeCassette, 20_000],
  ["the file of a durable run of 10,000 turns", writeSteps, 20_001],
] as const)("keeps %s within a bound of memory", async (_, write, entries) => {
  const folder = await mkdtemp(join(tmpdir(), "inspect-memory-"));
  try {
    const path = join(folder, "long.jsonl");
    await write(path);
    const measured = await measure(path, "5000");
    expect(measured).toMatchObject({ runs: 1, entries });
    expect(measured.bytes).toBeLessThan(BOUND / 3);
  } finally {
    await rm(folder, { recursive: true });
  }
});

async function writeCassette(path: string): Promise<void> {
  await writeLines(path, function* () {
    for (let exchange = 0; exchange < 20_000; exchange++) {
      const content = `${exchange} ${"x".repeat(1000)}`;
      const body = { model: "m", messages: [{ role: "user", content }] };
      yield { type: "request", exchange, method: "POST", url: "https://a.test/", headers: {}, body };
      yield { type: "response", exchange, at: 1, status: 200, headers: {} };
      for (let at = 2; at < 12; at++) yield { type: "chunk", exchange, at, text: `data: ${at}${"y".repeat(100)}\n\n` };
      yield { type: "end", exchange, at: 12 };
    }
  });
}

async function writeSteps(path: string): Promise<void> {
  await writeLines(path, function* () {
    let step = 0;
    const stepOf = (name: string, value: unknown): object => {
      return { name: `step ${++step}`, value: { step: name, by: "a", at: step, value } };
    };
    yield { type: "steps", version: 1, runId: "a" };
    yield stepOf("prompts", [{ role: "user", content: "Go" }]);
    for (let turn = 0; turn < 10_000; turn++) {
      const call = { type: "toolCall", id: `${turn}`, name: "look", arguments: { why: `${turn} ${"x".repeat(1000)}` } };
      const content = [{ type: "text", text: `${turn} ${"y".repeat(1000)}` }];
      yield stepOf("response", { message: { role: "assistant", model: "m", content: [call], stopReason: "toolUse" } });
      yield stepOf(`begin 1:${turn}`, null);
      yield stepOf(`tool look 1:${turn}`, { outcome: { result: { content }, isError: false, durationMs: 1 } });
    }
  });
}

async function writeLines(path: string, lines: () => Iterable<object>): Promise<void> {
  const file = createWriteStream(path);
  for (const line of lines()) file.write(`${JSON.stringify(line)}\n`);
  file.end();
  await once(file, "finish");
}

async function writeLog(path: string, turns: number): Promise<void> {
  await writeLines(path, function* () {
    yield { type: "session", version: 1, at: 0 };
    yield { type: "run_start", at: 0 };
    for (let turn = 0; turn < turns; turn++) {
      const timestamp = turn * 1000;
      const toolCall = { type: "toolCall", id: `${turn}`, name: "look", arguments: { turn, why: "x".repeat(500) } };
      const usage = { input: 100, output: 50, cacheRead: 900, cacheWrite: 0, cost: { total: 0.001 } };
      const content = [{ type: "text", text: `Result ${turn} ${"y".repeat(500)}` }];
      yield {
        type: "message",
        message: { role: "assistant", model: "m", content: [toolCall], usage, stopReason: "toolUse", timestamp },
      };
      yield {
        type: "message",
        message: { role: "toolResult", toolCallId: `${turn}`, toolName: "look", content, timestamp: timestamp + 900 },
      };
    }
    yield { type: "run_end", at: turns * 1000 };
  });
}
