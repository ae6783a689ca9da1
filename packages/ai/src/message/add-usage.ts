/** Adds up the usage of several responses. */
import type { Usage, UsageCost } from "../types/message.js";
import { isRecord } from "../utils/is-object.js";
import { emptyUsage } from "./empty-message.js";

/** A record, so that a new count fails to compile here instead of being lost. */
const COUNTS: Readonly<Record<Exclude<keyof Usage, "cost" | "contextTokens">, true>> = {
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

/**
 * Adds up the usage of responses. Optional counts are present if at least one response has them. Only finite numbers count, because
 * a stored conversation may hold anything.
 */
export function addUsage(responses: readonly { usage: Usage | Readonly<Record<string, unknown>> }[]): Usage {
  const total = emptyUsage();
  for (const { usage } of responses) {
    addFields(total, usage, COUNTS);
    if (isRecord(usage.cost)) addFields(total.cost, usage.cost, COSTS);
  }
  return total;
}

function addFields<TName extends string>(
  total: { [TKey in TName]?: number },
  added: { readonly [TKey in TName]?: unknown },
  names: Readonly<Record<TName, true>>,
): void {
  // Object.keys has no narrower type; the record names exactly these keys.
  for (const name of Object.keys(names) as TName[]) {
    const count = added[name];
    if (typeof count === "number" && Number.isFinite(count)) total[name] = (total[name] ?? 0) + count;
  }
}
