import { expect, test } from "vitest";
import { addUsage } from "./add-usage.js";
import { emptyUsage } from "./empty-message.js";

test("adds every count and every part of the cost, optional ones if a response has them", () => {
  const { cost } = emptyUsage();
  const first = { ...emptyUsage(), input: 1, totalTokens: 1, cost: { ...cost, input: 0.5, total: 0.5 } };
  const second = {
    ...emptyUsage(),
    output: 2,
    reasoning: 1,
    totalTokens: 2,
    cost: { ...cost, total: 0.25, reported: 0.2 },
  };
  expect(addUsage([{ usage: first }, { usage: second }])).toEqual({
    ...emptyUsage(),
    input: 1,
    output: 2,
    reasoning: 1,
    totalTokens: 3,
    cost: { ...cost, input: 0.5, total: 0.75, reported: 0.2 },
  });
});

test("is zero without responses", () => {
  expect(addUsage([])).toEqual(emptyUsage());
});

test("ignores what a stored conversation has in place of numbers", () => {
  const stored = { input: "9", output: 4, cost: null, other: 8 };
  expect(addUsage([{ usage: stored }])).toEqual({ ...emptyUsage(), output: 4 });
});
