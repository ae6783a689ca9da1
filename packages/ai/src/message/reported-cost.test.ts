import { expect, test } from "vitest";
import { reportedCost, type WirePrice } from "./reported-cost.js";

test.each<[string, WirePrice, number | undefined]>([
  ["OpenRouter", { cost: 0.00333825 }, 0.00333825],
  ["a model that is free", { cost: 0 }, 0],
  ["xAI", { cost_in_usd_ticks: 4_852_500 }, 0.00048525],
  ["Perplexity", { cost: { input_tokens_cost: 0, request_cost: 0.005, total_cost: 0.0051 } }, 0.0051],
  ["Venice", { cost: { usd: 0.0005813, diem: 0 } }, 0.0005813],
  ["Vercel", { cost: "0.003642" }, 0.003642],
  ["no price", {}, undefined],
  ["null", { cost: null }, undefined],
  ["an empty text", { cost: "" }, undefined],
  ["a word", { cost: "much" }, undefined],
  ["less than nothing", { cost: -1 }, undefined],
  ["too much", { cost: "1e999" }, undefined],
  ["a list", { cost: [5] }, undefined],
])("the price of %s", (_, price, expected) => {
  expect(reportedCost(price)).toBe(expected);
});
