/** Rules "usage" and "cost". */

import { isDeepStrictEqual } from "node:util";
import type { Usage } from "pi-ai";
import { type Case, show } from "./judgement.js";
import type { Parts } from "./recorded-api.js";
import { sumOf } from "./usage-readings.js";

const KINDS = ["input", "output", "cacheRead", "cacheWrite"] as const;

/** Accepted forms of the cost: some versions mark the provider's own total. */
type SeenCost = Usage["cost"] & { totalFromProvider?: boolean };

export function checkUsage({ seen, allowed }: Case): string | undefined {
  const usage = seen.message?.usage;
  if (!usage) return "no usage";
  const odd = [...KINDS, "totalTokens" as const].find((kind) => !Number.isFinite(usage[kind]) || usage[kind] < 0);
  if (odd) return `${odd} is ${show(usage[odd])}`;
  const parts = partsOf(usage);
  const { readings, oddTotal } = allowed?.usage ?? {};
  if (readings && !readings.some((reading) => isDeepStrictEqual(reading, parts)))
    return `got ${show(parts)}, wanted ${readings.map(show).join(" or ")}`;
  if (usage.totalTokens === sumOf(parts) || usage.totalTokens === oddTotal) return undefined;
  return `totalTokens is ${usage.totalTokens}, the parts add up to ${sumOf(parts)}`;
}

/** A million tokens of each kind cost one dollar. */
export function checkCost({ seen, allowed }: Case): string | undefined {
  const usage = seen.message?.usage;
  const cost: SeenCost | undefined = usage?.cost;
  if (!usage || !cost) return "no cost";
  const factors = allowed?.costFactors ?? [1];
  if (!factors.some((factor) => KINDS.every((kind) => isNear(cost[kind], (usage[kind] * factor) / 1e6))))
    return `got ${show(cost)} for ${show(partsOf(usage))}`;
  const isWireCost = cost.totalFromProvider === true && allowed?.wireCost !== undefined;
  const total = isWireCost ? allowed.wireCost : sumOf(cost);
  return isNear(cost.total, total ?? 0) ? undefined : `the total is ${cost.total}, wanted ${total}`;
}

function partsOf({ input, output, cacheRead, cacheWrite }: Usage): Parts {
  return { input, output, cacheRead, cacheWrite };
}

function isNear(got: number, wanted: number): boolean {
  return Math.abs(got - wanted) <= 1e-12 + Math.abs(wanted) * 1e-9;
}
