/** What the responses of a durable run cost. */
import type { Usage } from "pi-ai";

/** Tokens and US dollars. */
export interface LedgerEntry {
  /** How many responses. */
  responses: number;
  /** Tokens of the requests, read from or written to a cache included. */
  inputTokens: number;
  /** Generated tokens. */
  outputTokens: number;
  /** US dollars, at the prices of the models. */
  cost: number;
}

/** The costs of a run and its losses, in all of its processes. */
export interface DurableLedger {
  /** Responses that are in the transcript. Each was paid once. */
  readonly completed: LedgerEntry;
  /**
   * Responses that a process was receiving when it died, and that were requested again. A provider bills such a
   * response as far as it got, which no process has seen: each counts as much as the one that replaced it. Processes that
   * died one after the other in the same response count once.
   */
  readonly lost: LedgerEntry;
  /** The tool calls that may or may not have run, by their ids. */
  readonly unknownEffects: readonly string[];
}

export function createLedgerEntry(): LedgerEntry {
  return { responses: 0, inputTokens: 0, outputTokens: 0, cost: 0 };
}

export function addResponse(entry: LedgerEntry, { input, cacheRead, cacheWrite, output, cost }: Usage): void {
  entry.responses++;
  entry.inputTokens += input + cacheRead + cacheWrite;
  entry.outputTokens += output;
  entry.cost += cost.total;
}
