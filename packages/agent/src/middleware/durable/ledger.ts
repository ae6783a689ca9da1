/** The tokens and costs of the responses of a durable run. */
import type { Usage } from "pi-ai";

/** Tokens and US dollars. */
export interface LedgerEntry {
  /** The number of responses. */
  responses: number;
  /** Tokens of the requests, read from or written to a cache included. */
  inputTokens: number;
  /** Generated tokens. */
  outputTokens: number;
  /** US dollars, at the prices of the models. */
  cost: number;
}

/** The costs and losses of a run, in all of its processes. */
export interface DurableLedger {
  /** Responses that are in the transcript. Each was paid once. */
  readonly completed: LedgerEntry;
  /**
   * Responses that were requested again because the process that received them died. A provider bills the part that it
   * had generated. No process knows its size, so each counts as much as the response that replaced it.
   *
   * This is a floor: if several processes died during the same response, it counts once. A process that dies leaves no
   * step, so the engine does not know how many there were.
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
