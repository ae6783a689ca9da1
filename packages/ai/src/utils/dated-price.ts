/** Prices with a date: which of them applies at a time. */
import type { Model, ModelCost } from "../types/model.js";

type Price = Omit<ModelCost, "changes">;

/** The day of the prices before the first change, once that has come. */
const FIRST_DAY = "1970-01-01";

/** The prices that apply at a time: those of the latest change that has come, else the base prices. */
export function priceAt(cost: ModelCost, timestamp: number = Date.now()): Price {
  const time = Number.isFinite(timestamp) ? timestamp : Date.now();
  let price: Price = cost;
  let latest = Number.NEGATIVE_INFINITY;
  for (const change of cost.changes ?? []) {
    const from = Date.parse(change.from);
    if (from <= time && from >= latest) [price, latest] = [change, from];
  }
  return price;
}

/** The model with the prices of a time above its list of changes; the model itself if they stand there already. */
export function withPriceAt(model: Model, timestamp: number = Date.now()): Model {
  // A model from outside can lack what its type demands.
  if (!model.cost?.changes?.length) return model;
  const { changes, ...base } = model.cost;
  const { from: _from, ...price }: Price & { from?: string } = priceAt(model.cost, timestamp);
  const { changes: _changes, ...now }: Price & { changes?: unknown } = price;
  if (samePrice(now, base)) return model;
  const first = changes.find(({ from }) => from === FIRST_DAY) ?? { ...base, from: FIRST_DAY };
  const later = changes.filter((change) => change !== first);
  return { ...model, cost: { ...now, changes: samePrice(now, first) ? later : [first, ...later] } };
}

function samePrice(left: Price, right: Price): boolean {
  const numbers = (price: Price): string =>
    JSON.stringify([price.input, price.output, price.cacheRead, price.cacheWrite, price.tiers ?? []]);
  return numbers(left) === numbers(right);
}
