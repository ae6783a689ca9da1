/** Adds up the usage of the responses of a subscription. */
import type { Usage } from "pi-ai";
import { addUsage } from "pi-ai/count";

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

/** The totals with one more response. */
export function countResponse(totals: UsageTotals, usage: Partial<Usage> | undefined): UsageTotals {
  const before = { ...totals, cost: { total: totals.costTotal } };
  const { input, output, cacheRead, cacheWrite, totalTokens, cost } = addUsage([
    { usage: before },
    { usage: { ...usage } },
  ]);
  const { assistantMessages } = totals;
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens,
    costTotal: cost.total,
    assistantMessages: assistantMessages + 1,
  };
}
