/** Kills processes that contend for a lock, at random moments, and counts what goes wrong. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { DIES_WITH_PARENT } from "../../../../test/support/child-flags.js";
import { createRandom, type Random } from "../../../../test/support/random.js";

export interface StormOptions {
  rounds: number;
  seed: number;
  /** How many processes contend for the lock. Default 8. */
  processes?: number;
  /** A module with a `tryLockFile`. Default: the lock of this package. */
  lock?: string;
}

export interface StormReport {
  rounds: number;
  /** Processes killed while they held the lock, and while they waited for it, took it or took it over. */
  killedHolding: number;
  killedOutside: number;
  /** Processes that were stopped for a while and went on. */
  stalled: number;
  acquired: number;
  doubleOwners: number;
  /** Rounds in which the lock could not be taken any more. */
  deadlocks: number;
  /** Files beside the lock after the last owner of a round has released it. */
  leftOver: string[];
  /** The longest time between the end of one owner and the next one, while others waited, in milliseconds. */
  longestBlockMs: number;
}

const NAMES = ["file.lock", "witness"];
/** A round whose lock is not taken for this long counts as a deadlock. */
const DEADLOCK_MS = 15_000;

export async function runStorm({ rounds, seed, processes = 8, lock }: StormOptions): Promise<StormReport> {
  const random = createRandom(seed);
  const folder = await mkdtemp(join(tmpdir(), "lock-storm-"));
  const report: StormReport = {
    rounds: 0,
    killedHolding: 0,
    killedOutside: 0,
    stalled: 0,
    acquired: 0,
    doubleOwners: 0,
    deadlocks: 0,
    leftOver: [],
    longestBlockMs: 0,
  };
  const crew = new Crew(folder, await bundle(folder, lock));
  try {
    for (let round = 0; round < rounds; round++) {
      const place = join(folder, String(round));
      await mkdir(place);
      await crew.fill(processes);
      await playRound(crew, place, random, report);
      report.rounds++;
      await rm(place, { recursive: true });
    }
    return report;
  } finally {
    await crew.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/** One file, so that a process starts quickly. */
async function bundle(folder: string, lock: string | undefined): Promise<{ worker: string; lock: string }> {
  const options = { bundle: true, format: "esm", platform: "node" } as const;
  const own = join(import.meta.dirname, "../../src/utils/file-lock.ts");
  const worker = join(folder, "worker.mjs");
  const built = join(folder, "lock.mjs");
  await build({ ...options, entryPoints: [join(import.meta.dirname, "storm-worker.ts")], outfile: worker });
  if (lock === undefined) await build({ ...options, entryPoints: [own], outfile: built });
  return { worker, lock: pathToFileURL(lock ?? built).href };
}

class Crew {
  readonly #folder: string;
  readonly #programs: { worker: string; lock: string };
  members: ChildProcess[] = [];

  constructor(folder: string, programs: { worker: string; lock: string }) {
    this.#folder = folder;
    this.#programs = programs;
  }

  /** Starts as many processes as are missing, and waits until they are ready. */
  async fill(count: number): Promise<void> {
    const started: Promise<unknown>[] = [];
    while (this.members.length < count) {
      const { worker, lock } = this.#programs;
      const child = spawn(process.execPath, [...DIES_WITH_PARENT, worker, lock], {
        cwd: this.#folder,
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      this.members.push(child);
      started.push(once(child, "message"));
    }
    await Promise.all(started);
  }

  /** Returns when the process was dead. */
  async kill(child: ChildProcess): Promise<number> {
    this.members = this.members.filter((member) => member !== child);
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    return Date.now();
  }

  /** Waits until the processes have released the lock. Returns false if they do not. */
  async rest(): Promise<boolean> {
    const idle = Promise.all(
      this.members.map(async (child) => {
        const answer = once(child, "message");
        child.send({ stop: true });
        await answer;
      }),
    );
    const isIdle = await Promise.race([idle.then(() => true), wait(DEADLOCK_MS, false, { ref: false })]);
    if (!isIdle) await this.end();
    return isIdle;
  }

  async end(): Promise<void> {
    await Promise.all(this.members.map((child) => this.kill(child)));
  }
}

async function playRound(crew: Crew, place: string, random: Random, report: StormReport): Promise<void> {
  await writeFile(join(place, "witness"), "");
  for (const child of crew.members) child.send(place);
  const deaths = new Map<number, number>();
  // At least one survives, which must be able to take the lock.
  const kills = 1 + random.below(crew.members.length - 1);
  for (let kill = 0; kill < kills; kill++) {
    // Some die together, so that the one that takes over from another is killed, too.
    if (random.chance(0.7)) await wait(random.below(12));
    const victim = random.pick(crew.members);
    if (random.chance(0.2)) {
      const stopped = random.pick(crew.members);
      stopped.kill("SIGSTOP");
      await wait(random.below(30));
      stopped.kill("SIGCONT");
      report.stalled++;
    }
    deaths.set(victim.pid ?? 0, await crew.kill(victim));
  }
  const isTaken = await waitForOwner(place);
  const isIdle = await crew.rest();
  if (!isTaken || !isIdle) report.deadlocks++;
  readWitness(await readFile(join(place, "witness"), "utf8"), deaths, report);
  if (isTaken && isIdle) report.leftOver.push(...(await listLeftOver(place)));
}

/** Waits until each survivor had the time to take the lock. */
async function waitForOwner(place: string): Promise<boolean> {
  const count = async () => (await readFile(join(place, "witness"), "utf8")).split(" enter\n").length;
  const enough = (await count()) + 3;
  for (const until = Date.now() + DEADLOCK_MS; Date.now() < until; await wait(2))
    if ((await count()) >= enough) return true;
  return false;
}

async function listLeftOver(place: string): Promise<string[]> {
  const names = await readdir(place);
  return names.filter((name) => name !== "witness" && (name === "file.lock" || !NAMES.includes(name)));
}

function readWitness(text: string, deaths: ReadonlyMap<number, number>, report: StormReport): void {
  const lines = text.split("\n").map((line) => line.split(" "));
  const inside = new Set<number>();
  /** When the lock became free. */
  let freeSince: number | undefined;
  for (const [at, pid, what] of lines) {
    if (what === "double") report.doubleOwners++;
    if (what === "leave") {
      inside.delete(Number(pid));
      freeSince = Number(at);
    }
    if (what !== "enter") continue;
    report.acquired++;
    // Those that were inside have died.
    freeSince = Math.max(freeSince ?? Number(at), ...[...inside].map((dead) => deaths.get(dead) ?? 0));
    report.longestBlockMs = Math.max(report.longestBlockMs, Number(at) - freeSince);
    inside.clear();
    inside.add(Number(pid));
  }
  for (const dead of deaths.keys()) {
    const last = lines.findLast(([, pid]) => pid === String(dead));
    if (last?.[2] === "enter") report.killedHolding++;
    else report.killedOutside++;
  }
}
