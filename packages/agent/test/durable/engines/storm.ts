/** Kills workers of an engine at random moments while agents run, and checks the ledger. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { DurableSteps } from "pi-agent/durable";
import { type LedgerLine, runStormAgent } from "./storm-agent.js";
import type { StormEngine } from "./storm-engines.js";

/** Runs that are under way at once. */
const AT_ONCE = 8;
/** How long a worker lives, in milliseconds. */
const LIFE = { least: 100, most: 1100 };
/** After the last kill the runs have this long to finish, in milliseconds. */
const PATIENCE = 120_000;

export interface StormReport {
  runs: number;
  finished: number;
  kills: number;
  toolCalls: number;
  /** Unsafe tools that ran more than once. */
  toolsTwice: string[];
  /** Responses that were requested after they had been complete. */
  paidTwice: string[];
  /** Runs whose transcript differs from that of a run without kills by more than unknown effects. */
  wrongTranscripts: string[];
  unknownEffects: number;
  /** Responses that were cut off and requested again. */
  cutResponses: number;
  /** Those of them that the ledgers of the runs know. */
  lostResponses: number;
  failures: string[];
}

export async function runStorm(engine: StormEngine, ledger: string, kills: number): Promise<StormReport> {
  writeFileSync(ledger, "");
  const storm = new Storm(engine, ledger, kills);
  try {
    await storm.run();
  } finally {
    await storm.end();
  }
  return judge(readLedger(ledger), storm.started, storm.kills, await referenceTranscript());
}

class Storm {
  kills = 0;
  started = 0;
  readonly #engine: StormEngine;
  readonly #ledger: string;
  readonly #target: number;
  readonly #children = new Set<ChildProcess>();
  readonly #answered = new Set<string>();
  #over = false;

  constructor(engine: StormEngine, ledger: string, target: number) {
    this.#engine = engine;
    this.#ledger = ledger;
    this.#target = target;
  }

  async run(): Promise<void> {
    const slots = Array.from({ length: this.#engine.workers }, (_, slot) => slot);
    // DBOS migrates its tables without a lock, so two workers must not start on an empty database at once.
    const first: (ChildProcess | undefined)[] = [];
    for (const slot of slots) {
      const worker = await this.#startWorker(slot);
      if (!worker) throw new Error(`Worker ${slot} ended before it was ready`);
      first.push(worker);
    }
    await this.#engine.begin();
    const killing = Promise.all(slots.map((slot) => this.#killAgainAndAgain(slot, first[slot])));
    const deadline = (): number => (this.kills < this.#target ? Number.POSITIVE_INFINITY : Date.now() + PATIENCE);
    for (let last = deadline(); Date.now() < last; last = Math.min(last, deadline())) {
      const finished = await this.#look();
      if (this.kills >= this.#target && finished >= this.started) break;
      await wait(25);
    }
    this.#over = true;
    await this.end();
    await killing;
  }

  async end(): Promise<void> {
    this.#over = true;
    for (const child of this.#children) child.kill("SIGKILL");
  }

  /** Starts runs and answers approvals as they come up. */
  async #look(): Promise<number> {
    const lines = readLedger(this.#ledger);
    const finished = new Set(lines.filter(({ kind }) => kind === "finished").map(({ run }) => run)).size;
    while (this.kills < this.#target && this.started - finished < AT_ONCE) {
      await this.#engine.start(`run-${this.started++}`);
    }
    for (const line of lines) {
      if (line.kind !== "approval" || this.#answered.has(line.run)) continue;
      this.#answered.add(line.run);
      // Some answers arrive at once, some after the death of the worker that asked.
      wait(1000 * Math.random())
        .then(() => this.#engine.answer(line.run, line.name, { approved: true }))
        .catch(() => this.#answered.delete(line.run));
    }
    return finished;
  }

  async #killAgainAndAgain(slot: number, first: ChildProcess | undefined): Promise<void> {
    let child = first;
    while (!this.#over) {
      if (this.kills >= this.#target) return;
      await wait(LIFE.least + (LIFE.most - LIFE.least) * Math.random());
      if (child && child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) {
        this.kills++;
        await once(child, "exit");
      }
      child = await this.#startWorker(slot);
    }
  }

  /** Undefined if it ended before it was ready. */
  async #startWorker(slot: number): Promise<ChildProcess | undefined> {
    const child = this.#engine.startWorker(slot);
    this.#children.add(child);
    const exited = once(child, "exit").then(() => {
      this.#children.delete(child);
      return undefined;
    });
    const ready = child.stdout ? once(child.stdout, "data").then(() => child) : undefined;
    return Promise.race([ready, exited]);
  }
}

export function readLedger(file: string): LedgerLine[] {
  const text = readFileSync(file, "utf8");
  // Only lines that are written to the end.
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** The conversation of an uninterrupted run. */
export async function referenceTranscript(): Promise<string> {
  const steps: DurableSteps = {
    runId: "reference",
    run: (_name, work) => work(),
    // The shape of an answer.
    waitFor: async <TValue>() => ({ approved: true }) as TValue,
  };
  return runStormAgent(steps, "/dev/null");
}

export function judge(lines: readonly LedgerLine[], runs: number, kills: number, reference: string): StormReport {
  const counts = new Map<string, number>();
  const complete = new Set<string>();
  const paidTwice: string[] = [];
  for (const line of lines) {
    if (line.kind === "tool") count(counts, line.key);
    if (line.kind === "complete") complete.add(`${line.run} ${line.index}`);
    if (line.kind !== "request") continue;
    const response = `${line.run} ${line.index}`;
    count(counts, `request ${response}`);
    if (complete.has(response)) paidTwice.push(response);
  }
  const finished = new Map(lines.flatMap((line) => (line.kind === "finished" ? [[line.run, line] as const] : [])));
  const ends = [...finished.values()];
  const tools = [...counts].filter(([key]) => !key.startsWith("request"));
  const cut = [...counts].filter(([key]) => key.startsWith("request")).map(([, times]) => times - 1);
  return {
    runs,
    finished: finished.size,
    kills,
    toolCalls: tools.length,
    toolsTwice: tools.filter(([key, times]) => times > 1 && !key.startsWith("search")).map(([key]) => key),
    paidTwice,
    wrongTranscripts: ends.filter(({ transcript }) => !isSame(transcript, reference)).map(({ run }) => run),
    unknownEffects: sum(ends.map(({ unknown }) => unknown.length)),
    cutResponses: sum(cut),
    lostResponses: sum(ends.map(({ lost }) => lost)),
    failures: lines.flatMap((line) => (line.kind === "failed" ? [line.error] : [])),
  };
}

/** Whether every message is that of the reference, or a result of unknown effect in its place. */
function isSame(transcript: string, reference: string): boolean {
  const found = transcript.split("\n");
  const expected = reference.split("\n");
  return found.length === expected.length && found.every((line, index) => line === "?" || line === expected[index]);
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
