/** The price that a response states for itself. */

/** The places in which vendors put it, beside the token counts. */
export interface WirePrice {
  /** OpenRouter, Vercel and others: US dollars. Perplexity: an object with the sum. */
  cost?: unknown;
  /** xAI: ten billionths of a US dollar (docs.x.ai, "Cost tracking", 2026-11). */
  cost_in_usd_ticks?: unknown;
}

const TICKS_PER_DOLLAR = 10_000_000_000;

/** US dollars; undefined where the response states no price. */
export function reportedCost(price: WirePrice): number | undefined {
  const ticks = dollars(price.cost_in_usd_ticks);
  if (ticks !== undefined) return ticks / TICKS_PER_DOLLAR;
  if (typeof price.cost !== "object" || price.cost === null) return dollars(price.cost);
  const { total_cost, usd }: { total_cost?: unknown; usd?: unknown } = price.cost;
  return dollars(total_cost) ?? dollars(usd);
}

/** Some gateways send a number as text. */
function dollars(value: unknown): number | undefined {
  const amount = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof amount === "number" && Number.isFinite(amount) && amount >= 0 ? amount : undefined;
}
