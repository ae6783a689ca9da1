import { expect, test } from "vitest";
import { plainModel } from "../../test/support/plain-adapter.js";
import { priceAt, withPriceAt } from "./dated-price.js";

const BASE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const TIERS = [{ ...BASE, inputTokensAbove: 10, input: 90 }];
const MODEL = {
  ...plainModel,
  cost: {
    ...BASE,
    changes: [
      { ...BASE, from: "2026-12-01", input: 6 },
      { ...BASE, from: "2027-01-01", input: 9, tiers: TIERS },
    ],
  },
};
const at = (day: string): number => Date.parse(day);

test("the prices of a day stand above the list, beside the earlier ones", () => {
  expect(withPriceAt(MODEL, at("2026-11-30"))).toBe(MODEL);
  const later = withPriceAt(MODEL, at("2026-12-02"));
  expect(later.cost).toMatchObject({ input: 6, changes: [{ from: "1970-01-01", input: 3 }, {}, {}] });
  expect(withPriceAt(later, at("2026-12-03"))).toBe(later);
  const last = withPriceAt(later, at("2027-01-02"));
  expect(last.cost).toMatchObject({ input: 9, tiers: TIERS });
  expect(last.cost.changes).toHaveLength(3);
  expect(withPriceAt(last, at("2026-11-01"))).toEqual(MODEL);
  expect(priceAt(last.cost, at("2026-11-01"))).toMatchObject({ input: 3 });
  expect(priceAt(last.cost, at("2026-12-31"))).toMatchObject({ input: 6 });
});

test("a model without dated prices is returned as it is", () => {
  expect(withPriceAt(plainModel)).toBe(plainModel);
  const empty = { ...plainModel, cost: { ...BASE, changes: [] } };
  expect(withPriceAt(empty)).toBe(empty);
});
