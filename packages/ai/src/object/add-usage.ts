/** Adds up the usage of several responses. */
import { emptyUsage } from "../assemble/empty-message.js";
import type { AssistantMessage, Usage, UsageCost } from "../types/message.js";

/** A record, so that a new count fails to compile here instead of being lost. */
const COUNTS: Readonly<Record<Exclude<keyof Usage, "cost">, true>> = {
  input: true,
  output: true,
  cacheRead: true,
  cacheWrite: true,
  cacheWrite1h: true,
  reasoning: true,
  totalTokens: true,
};
const COSTS: Readonly<Record<keyof UsageCost, true>> = {
  input: true,
  output: true,
  cacheRead: true,
  cacheWrite: true,
  total: true,
  reported: true,
};

/** Optional counts are present if at least one response has them. */
export function addUsage(messages: readonly Pick<AssistantMessage, "usage">[]): Usage {
  const total = emptyUsage();
  for (const { usage } of messages) {
    addFields(total, usage, COUNTS);
    addFields(total.cost, usage.cost, COSTS);
  }
  return total;
}

function addFields<TName extends string>(
  total: { [TKey in TName]?: number },
  added: { [TKey in TName]?: number },
  names: Readonly<Record<TName, true>>,
): void {
  // Object.keys has no narrower type; the record names exactly these keys.
  for (const name of Object.keys(names) as TName[]) {
    const count = added[name];
    if (count !== undefined) total[name] = (total[name] ?? 0) + count;
  }
}
