/** Adds up the usage of the responses of a subscription. */
import type { Usage } from "pi-ai";

/** The usage of all responses of a subscription. */
export interface UsageTotals {
  /** Prompt tokens that came from no cache. */
  input: number;
  /** Generated tokens. */
  output: number;
  /** Prompt tokens read from a cache. */
  cacheRead: number;
  /** Prompt tokens written to a cache. */
  cacheWrite: number;
  /** All tokens. */
  totalTokens: number;
  /** US dollars. */
  costTotal: number;
  /** The number of responses. */
  assistantMessages: number;
}

export function createUsageTotals(): UsageTotals {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    costTotal: 0,
    assistantMessages: 0,
  };
}

/** Counts that are missing, as in foreign messages, are zero. */
export function addUsage(totals: UsageTotals, usage: Partial<Usage> | undefined): UsageTotals {
  return {
    input: totals.input + toCount(usage?.input),
    output: totals.output + toCount(usage?.output),
    cacheRead: totals.cacheRead + toCount(usage?.cacheRead),
    cacheWrite: totals.cacheWrite + toCount(usage?.cacheWrite),
    totalTokens: totals.totalTokens + toCount(usage?.totalTokens),
    costTotal: totals.costTotal + toCount(usage?.cost?.total),
    assistantMessages: totals.assistantMessages + 1,
  };
}

function toCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
