/** Kills the processes of conversations that pause, and judges what is left: the ledger of the tools, and the session. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { AgentMessage } from "pi-agent";
import { pendingRequests } from "pi-agent/approvals";
import type { Message } from "pi-ai";
import { DIES_WITH_PARENT } from "../../../test/support/child-flags.js";
import { createRandom, type Random } from "../../../test/support/random.js";
import { buildBody } from "../../ai/test/handoff/check-handoff.internal.js";
import { PARTIES } from "../../ai/test/handoff/parties.js";
import { findFaults } from "../../ai/test/validators/validators.js";
import { findCallFaults, readCalls } from "./pause-storm-calls.js";
import { isApprovedBySeed, type LedgerLine, STORES } from "./pause-storm-facts.js";

const SOURCES = resolve(import.meta.dirname, "../../../scripts/resolve-sources.ts");
const CHILD = join(import.meta.dirname, "pause-storm-child.ts");
const MAX_PROCESSES = 40;

/** What happened in all conversations of a storm. */
export interface StormReport {
  /** What must not be, each with its conversation. */
  faults: string[];
  processes: number;
  deaths: number;
  /** Processes that found the session in use. */
  refused: number;
  /** Calls with an effect. */
  ran: number;
  /** Calls that were declined. */
  declined: number;
  /** Calls of which nobody knows whether they took effect. */
  unknown: number;
}

export interface StormOptions {
  /** The seed of the first conversation. */
  seed: number;
  conversations: number;
  /** How many processes of a conversation may die. The others make sure that it ends. */
  deaths: number;
}

/** Plays conversations in a store. */
export async function runPauseStorm(
  store: string,
  { seed, conversations, deaths }: StormOptions,
): Promise<StormReport> {
  const folder = await mkdtemp(join(tmpdir(), "pause-storm-"));
  const report: StormReport = { faults: [], processes: 0, deaths: 0, refused: 0, ran: 0, declined: 0, unknown: 0 };
  try {
    for (let next = seed; next < seed + conversations; next++)
      await playConversation({ store, place: join(folder, store), id: `chat-${next}`, seed: next, deaths }, report);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return report;
}

interface Conversation {
  store: string;
  place: string;
  id: string;
  seed: number;
  deaths: number;
}

async function playConversation(conversation: Conversation, report: StormReport): Promise<void> {
  const { seed } = conversation;
  const random = createRandom(seed);
  const before = report.deaths;
  for (let number = 0; number < MAX_PROCESSES; number++) {
    const isMortal = report.deaths - before < conversation.deaths;
    const processes = [runProcess(conversation, number, isMortal ? random : undefined)];
    // A page that was loaded twice: the other process finds the session in use, or comes after the first one.
    if (random.chance(0.1)) processes.push(runProcess(conversation, number + MAX_PROCESSES, undefined));
    for (const ended of await Promise.all(processes)) count(ended, seed, report);
    const messages = await load(conversation);
    if (messages.at(-1)?.role === "assistant" && pendingRequests(messages).length === 0) {
      judge(conversation, messages, report);
      return;
    }
  }
  report.faults.push(`seed ${seed}: the conversation did not end`);
}

function count(ended: string, seed: number, report: StormReport): void {
  report.processes++;
  if (ended === "died") report.deaths++;
  else if (ended === "in use") report.refused++;
  else if (ended !== "ended") report.faults.push(`seed ${seed}: ${ended}`);
}

async function load({ store, place, id }: Conversation): Promise<AgentMessage[]> {
  const sessions = STORES[store]?.(place);
  const loaded = await sessions?.load(id, { strict: true });
  await sessions?.close();
  return loaded?.messages ?? [];
}

/** Runs a process. Without `random`, it does not die. Returns how it ended. */
async function runProcess({ store, place, id, seed }: Conversation, number: number, random?: Random): Promise<string> {
  const points = random?.chance(0.85) ? 1 + random.below(random.chance(0.5) ? 15 : 80) : 0;
  // A process that is killed from outside dies while it goes on: between any two instructions, also while it writes.
  const isKilled = points > 0 && random?.chance(0.3);
  const words = [store, place, id, seed, number, isKilled ? 0 : points].map(String);
  const child = spawn(process.execPath, [...DIES_WITH_PARENT, "--import", SOURCES, CHILD, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let passed = 0;
  child.stdout.on("data", (bytes: Buffer) => {
    passed += bytes.length;
    if (isKilled && passed >= points) child.kill("SIGKILL");
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk;
  });
  await once(child, "close");
  if (child.signalCode === "SIGKILL") return "died";
  if (child.exitCode === 3) return "in use";
  return child.exitCode === 0 && !errors ? "ended" : `exit code ${child.exitCode}: ${errors}`;
}

/** The last line may be cut off. */
function readLedger({ place, id }: Conversation): LedgerLine[] {
  const file = `${place}.${id}.ledger`;
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return lines.filter(Boolean).map((line) => JSON.parse(line) as LedgerLine);
}

function judge(conversation: Conversation, messages: readonly AgentMessage[], report: StormReport): void {
  const ledger = readLedger(conversation);
  const faults = ledger.flatMap((line) => (line.kind === "request" ? findRequestFaults(line.messages) : []));
  const calls = readCalls(messages, ledger);
  for (const { outcome, begun } of calls) {
    if (begun > 0) report.ran++;
    if (outcome === "unknown") report.unknown++;
    if (outcome === "declined") report.declined++;
  }
  faults.push(...calls.flatMap((one) => findCallFaults(one, isApprovedBySeed(conversation.seed, one.n))));
  report.faults.push(...faults.map((fault) => `${conversation.store}, seed ${conversation.seed}: ${fault}`));
}

/** Whether each api accepts a conversation. */
function findRequestFaults(messages: Message[]): string[] {
  return PARTIES.flatMap((party) =>
    findFaults(party.api, buildBody(party, party.model, messages, { tools: [], options: {} }), party.model).map(
      (fault) => `${party.api}: ${fault}`,
    ),
  );
}
