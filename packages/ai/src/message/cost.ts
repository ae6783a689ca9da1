/** Checks the counts of tokens that a server reports, and converts them to US dollars. */

import type { Usage, UsageCost } from "../types/message.js";
import type { Model, ModelCost, ModelPrice } from "../types/model.js";
import { findCostFault } from "../utils/cost-fault.js";
import { priceAt } from "../utils/dated-price.js";
import { isObject } from "../utils/is-object.js";
import { nameValue } from "../utils/name-value.js";

/**
 * Anthropic charges a one-hour cache write at twice the price of input, a five-minute one at 1.25 times
 * (docs.anthropic.com, "Prompt caching", 2026-11). The catalogue's `cacheWrite` is the five-minute price.
 */
const ONE_HOUR_WRITE_FACTOR = 2;

const WRITE = "Write calculateCost(model, message.usage)";

/** How a cost is worked out. */
export interface CostOptions {
  /** Multiplies every price; a service tier's factor. Default 1. */
  factor?: number | undefined;
  /** When the message was written, in milliseconds since 1970: the prices of that time apply. Default: now. */
  timestamp?: number | undefined;
}

/**
 * Sets `usage.cost` from the model's prices and returns it. If the model has price tiers, the size of the whole prompt
 * (cached tokens included) selects the tier for every kind of token. If its prices have dates, the time of the message
 * selects them.
 *
 * @param options a number is the factor
 * @throws TypeError if there is no usage, or no price
 */
export function calculateCost(model: Pick<Model, "cost">, usage: Usage, options: number | CostOptions = {}): UsageCost {
  assertUsage(model, usage);
  const { factor = 1, timestamp } = typeof options === "number" ? { factor: options } : options;
  const price = priceFor(priceAt(model.cost, timestamp), usage.input + usage.cacheRead + usage.cacheWrite);
  const writes1h = Math.min(usage.cacheWrite1h ?? 0, usage.cacheWrite);
  const dollars = (tokens: number, perMillion: number): number => (tokens * perMillion * factor) / 1_000_000;
  // JavaScript callers may pass counts that have never had a cost.
  usage.cost ??= { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const { cost } = usage;
  cost.input = dollars(usage.input, price.input);
  cost.output = dollars(usage.output, price.output);
  cost.cacheRead = dollars(usage.cacheRead, price.cacheRead);
  cost.cacheWrite =
    dollars(usage.cacheWrite - writes1h, price.cacheWrite) + dollars(writes1h, price.input * ONE_HOUR_WRITE_FACTOR);
  cost.total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
  return cost;
}

const COUNTS = ["input", "output", "cacheRead", "cacheWrite"] as const;

function assertUsage(model: unknown, usage: unknown): void {
  const { cost } = Object(model);
  if (!isObject(cost))
    throw new TypeError(`calculateCost needs a model with prices, but model.cost is ${nameValue(cost)}`);
  const fault = findCostFault(cost);
  if (fault !== undefined) throw new TypeError(`calculateCost needs a model with prices, but model.${fault}`);
  const wrong = COUNTS.find((name) => !Number.isFinite(Object(usage)[name]));
  if (!isObject(usage))
    throw new TypeError(
      `calculateCost(model, usage) needs the usage of a message, but it is ${nameValue(usage)}. ${WRITE}`,
    );
  if (wrong)
    throw new TypeError(
      `usage.${wrong} must be a number of tokens, but it is ${nameValue(Object(usage)[wrong])}. ${WRITE}`,
    );
}

function priceFor(cost: Pick<ModelCost, keyof ModelPrice | "tiers">, promptTokens: number): ModelPrice {
  let price: ModelPrice = cost;
  if (!cost.tiers) return price;
  let above = 0;
  for (const tier of cost.tiers) {
    if (promptTokens > tier.inputTokensAbove && tier.inputTokensAbove >= above) {
      price = tier;
      above = tier.inputTokensAbove;
    }
  }
  return price;
}

/** A count from the wire, or undefined if it is missing, negative, not a number, or not finite. */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}
