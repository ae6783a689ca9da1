/**
 * Server-side fallback: another Claude answers in the same request if the model declines it (platform.claude.com, "Refusals
 * and fallback", and the types of @anthropic-ai/sdk 1.14, `BetaFallbacksParam`, 2026-11).
 */
import { findKnownModel } from "../../catalogue/index.js";
import { calculateCost, emptyUsage, type UsageCounts } from "../../message/index.js";
import type { Model } from "../../types/model.js";
import type { ModelRun } from "./own-usage.js";

export const FALLBACK_BETA = "server-side-fallback-2026-07-01";

export type Priced = Pick<Model, "cost">;

/** The price of another model of the provider; undefined if it is not known. */
export type FindPrice = (id: string) => Priced | undefined;

/**
 * The price of a model of the catalogue, if the program has used `getModel`: a bundle with this api alone has no catalogue. An id
 * with a date is that of the model without one.
 */
export function findPrice(provider: string, id: string): Priced | undefined {
  return findKnownModel(provider, id) ?? findKnownModel(provider, id.replace(/-\d{8}$/, ""));
}

/**
 * The counts and the price of a response that another model gave. The counts of the response are those of that model. A model
 * that declined is paid for what it wrote; without output it costs nothing.
 */
export function fallbackCounts(
  runs: readonly ModelRun[],
  { model, find }: { model: Priced; find: FindPrice },
): UsageCounts {
  const served = runs.find(({ iteration }) => iteration.type === "fallback_message");
  const id = served?.iteration.model;
  if (typeof id !== "string") return {};
  let declined = 0;
  for (const { iteration, counts } of runs) {
    const by = iteration.model;
    if (iteration.type !== "message" || typeof by !== "string" || by === id || !counts.output) continue;
    const usage = { ...emptyUsage(), ...withoutGaps(counts) };
    declined += calculateCost(find(by) ?? model, usage).total;
  }
  const price = find(id);
  return { ...(price ? { pricedAs: price } : {}), ...(declined > 0 ? { extraCost: declined } : {}) };
}

function withoutGaps({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cacheWrite1h }: UsageCounts): {
  [TName in "input" | "output" | "cacheRead" | "cacheWrite" | "cacheWrite1h"]?: number;
} {
  return { input, output, cacheRead, cacheWrite, ...(cacheWrite1h ? { cacheWrite1h } : {}) };
}
