/** The factor by which a service tier changes the price of a response. */
import type { WireMapping } from "../driver/index.js";
import { ownValue } from "../utils/own-value.js";

type Factors = Readonly<Record<string, number>>;

/**
 * The factor of the tier that the response names, else of the tier that was asked for.
 *
 * @param factors by the api's words
 */
export function tierFactor(reported: unknown, requested: string | undefined, factors: Factors): number | undefined {
  const tier = typeof reported === "string" ? reported.toLowerCase() : requested;
  return tier === undefined ? undefined : ownValue(factors, tier);
}

/** openai.com/api/pricing, "Flex" and "Priority", 2026-11. Rows of families have those of single models. */
export const OPENAI_TIER_FACTORS: Factors = { flex: 0.5, priority: 2 };

/** Multiplies the cost of a response by the factor of its tier. */
export function pricedByTier(
  mapping: WireMapping,
  { factors, requested, read }: { factors: Factors; requested: string | undefined; read(event: unknown): unknown },
): WireMapping {
  let reported: unknown;
  let current = 1;
  const priced: WireMapping = (event, sink) => {
    reported = read(event) ?? reported;
    const factor = tierFactor(reported, requested, factors) ?? 1;
    if (factor !== current) sink.usage({ costFactor: factor });
    current = factor;
    return mapping(event, sink);
  };
  return Object.assign(priced, {
    ...(mapping.end && { end: mapping.end }),
    ...(mapping.hops && { hops: mapping.hops }),
  });
}
