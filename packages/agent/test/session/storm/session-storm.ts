/** Kills the processes of conversations at any moment, lets others take their sessions, and judges what is left. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { AgentMessage } from "pi-agent";
import { DIES_WITH_PARENT } from "../../../../../test/support/child-flags.js";
import { type DatabaseServer, startPostgres } from "../../../../../test/support/database-servers.js";
import { createRandom, type Random } from "../../../../../test/support/random.js";
import { STORES } from "../stores.js";
import { EXITS, isApproved, nameOf, type StormLine } from "./storm-facts.js";

const SOURCES = resolve(import.meta.dirname, "../../../../../scripts/resolve-sources.ts");
const CHILD = join(import.meta.dirname, "storm-child.ts");

/** What happened in all conversations of a storm. */
export interface SessionStormReport {
  /** What must not be, each with its seed. */
  faults: string[];
  conversations: number;
  processes: number;
  killed: number;
  /** Processes that ended by themselves, because another one had taken their session. */
  lost: number;
  /** Processes that found the session in use. */
  refused: number;
  /** Messages that a process knew to be stored. */
  stored: number;
  /** Calls that were approved and ran. */
  ran: number;
  /** How many of them ran again: only those that may. */
  repeated: number;
}

export interface SessionStormOptions {
  /** The seed of the first conversation. */
  seed: number;
  conversations: number;
}

/** Plays conversations in a store. PostgreSQL gets a server of its own. */
export async function runSessionStorm(
  store: string,
  { seed, conversations }: SessionStormOptions,
): Promise<SessionStormReport> {
  const counts = { conversations, processes: 0, killed: 0, lost: 0, refused: 0, stored: 0, ran: 0, repeated: 0 };
  const report: SessionStormReport = { faults: [], ...counts };
  const folder = await mkdtemp(join(tmpdir(), "session-storm-"));
  let server: DatabaseServer | undefined;
  try {
    if (store === "pg") server = await startPostgres();
    const place = server?.folder ?? join(folder, store);
    for (let next = seed; next < seed + conversations; next++)
      await new StormConversation({ store, place, seed: next }, report).play();
  } finally {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return report;
}

interface ProcessOptions {
  /** It brings the conversation to its end. */
  isLast?: boolean;
  /** After so many lines it is killed. */
  killAt?: number | undefined;
  /** After so many lines it stands still until it may go on. */
  holdAt?: number;
  onHold?: () => void;
  goOn?: Promise<void>;
  /** Called when it has the session. */
  onOpen?: () => void;
}

class StormConversation {
  readonly #where: { store: string; place: string; seed: number };
  readonly #report: SessionStormReport;
  readonly #random: Random;
  readonly #lines: StormLine[] = [];
  #processes = 0;

  constructor(where: { store: string; place: string; seed: number }, report: SessionStormReport) {
    this.#where = where;
    this.#report = report;
    this.#random = createRandom(where.seed);
  }

  async play(): Promise<void> {
    for (let left = 2 + this.#random.below(4); left > 0; left--) await this.#playTurn();
    await this.#run({ isLast: true });
    this.#judge(await this.#load());
  }

  /** A process that is killed, or one that stands still until another one has taken the session, and then goes on. */
  async #playTurn(): Promise<void> {
    const line = 1 + this.#random.below(this.#random.pick([5, 20, 60]));
    if (this.#random.chance(0.5)) return this.#run({ killAt: line });
    const goOn = Promise.withResolvers<void>();
    let second: Promise<void> | undefined;
    const begin = (): void => {
      second ??= this.#run({ killAt: this.#random.chance(0.5) ? line : undefined, onOpen: goOn.resolve }).finally(
        goOn.resolve,
      );
    };
    await this.#run({ holdAt: line, onHold: begin, goOn: goOn.promise });
    // It may have ended before that line.
    begin();
    await second;
  }

  /** Runs a process to its end. What it says is kept. */
  async #run(how: ProcessOptions): Promise<void> {
    const { store, place, seed } = this.#where;
    const words = [store, place, this.#id, seed, this.#processes++, how.isLast ?? false, how.holdAt ?? 0].map(String);
    const child = spawn(process.execPath, [...DIES_WITH_PARENT, "--import", SOURCES, CHILD, ...words], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    // It may have ended by then.
    child.stdin.on("error", () => {});
    void how.goOn?.then(() => child.stdin.end("\n"));
    let text = "";
    let seen = 0;
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      seen += chunk.split("\n").length - 1;
      if (seen >= 1) how.onOpen?.();
      if (how.killAt !== undefined && seen >= how.killAt) child.kill("SIGKILL");
      if (how.holdAt !== undefined && seen >= how.holdAt) how.onHold?.();
    });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      errors += chunk;
    });
    await once(child, "close");
    // The last line may be cut off.
    const whole = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
    for (const line of whole.filter(Boolean)) this.#lines.push(JSON.parse(line));
    this.#count(child, errors);
  }

  #count({ signalCode, exitCode }: { signalCode: string | null; exitCode: number | null }, errors: string): void {
    const report = this.#report;
    report.processes++;
    if (signalCode === "SIGKILL") report.killed++;
    else if (exitCode === EXITS.inUse) report.refused++;
    else if (exitCode === EXITS.lost) report.lost++;
    else if (exitCode !== 0 || errors) this.#fail(`exit code ${exitCode}: ${errors}`);
  }

  get #id(): string {
    return `chat-${this.#where.seed}`;
  }

  async #load(): Promise<readonly AgentMessage[]> {
    const opened = STORES[this.#where.store]?.(this.#where.place);
    const loaded = await opened?.store.load(this.#id, { strict: true });
    await opened?.close();
    if (loaded?.replaced.length) this.#fail("a conversation was replaced");
    return loaded?.messages ?? [];
  }

  /** Nothing that was stored is missing or twice, and what was approved has run at most once. */
  #judge(messages: readonly AgentMessage[]): void {
    const names = messages.flatMap((message) => nameOf(message) ?? []);
    const stored = new Set(this.#lines.flatMap((line) => (line.kind === "stored" ? [line.name] : [])));
    this.#report.stored += stored.size;
    for (const name of stored) if (!names.includes(name)) this.#fail(`${name} was stored, and is missing`);
    for (const name of names) if (names.indexOf(name) !== names.lastIndexOf(name)) this.#fail(`${name} is twice`);
    this.#judgeCalls();
  }

  #judgeCalls(): void {
    const begun = new Map<string, number>();
    for (const line of this.#lines) {
      if (line.kind !== "begin" || line.name === "look") continue;
      const times = (begun.get(line.callId) ?? 0) + 1;
      begun.set(line.callId, times);
      if (!isApproved(line.callId)) this.#fail(`${line.callId} ran, and was declined`);
      if (times > 1 && line.name === "pay") this.#fail(`${line.callId} ran ${times} times`);
    }
    this.#report.ran += begun.size;
    for (const times of begun.values()) this.#report.repeated += times - 1;
  }

  #fail(fault: string): void {
    this.#report.faults.push(`${this.#where.store}, seed ${this.#where.seed}: ${fault}`);
  }
}
