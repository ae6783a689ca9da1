/** Finds the first fault of the prices of a model. A wrong price would be counted without a word. */
import { COUNT, DAY, fieldFault, findFault, type Rule } from "./field-fault.js";
import { isRecord } from "./is-object.js";

const PRICE: Rule = ["a number of 0 or more", (value) => Number.isFinite(value) && Number(value) >= 0];
const PRICES: Readonly<Record<string, Rule>> = { input: PRICE, output: PRICE, cacheRead: PRICE, cacheWrite: PRICE };
const TIER_FIELDS: Readonly<Record<string, Rule>> = { inputTokensAbove: COUNT, ...PRICES };
const CHANGE_FIELDS: Readonly<Record<string, Rule>> = { from: DAY, ...PRICES };

/** The first fault, such as `cost.changes[0].from must be a day such as 2026-12-01, not "soon"`. */
export function findCostFault(cost: unknown): string | undefined {
  return findFault("cost.", cost, PRICES) ?? findTierFault("cost.tiers", cost) ?? findChangeFault(cost);
}

function findTierFault(path: string, cost: unknown): string | undefined {
  const tiers = isRecord(cost) ? cost["tiers"] : undefined;
  if (tiers === undefined) return undefined;
  if (!Array.isArray(tiers)) return fieldFault(path, "a list", tiers);
  for (const [index, tier] of tiers.entries()) {
    const found = findFault(`${path}[${index}].`, tier, TIER_FIELDS);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Days of the calendar only, each after the one before: two prices of one day would leave open which of them applies. */
function findChangeFault(cost: unknown): string | undefined {
  const changes = isRecord(cost) ? cost["changes"] : undefined;
  if (changes === undefined) return undefined;
  if (!Array.isArray(changes)) return fieldFault("cost.changes", "a list", changes);
  let last = "";
  for (const [index, change] of changes.entries()) {
    const path = `cost.changes[${index}]`;
    const found = findFault(`${path}.`, change, CHANGE_FIELDS) ?? findTierFault(`${path}.tiers`, change);
    if (found !== undefined) return found;
    const from: string = change.from;
    if (from <= last) return fieldFault(`${path}.from`, `a day after ${last}`, from);
    last = from;
  }
  return undefined;
}
