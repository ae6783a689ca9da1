import { expect, it } from "vitest";
import { compare, growth, median, summarize } from "./statistics.ts";

it("returns the middle value, or the mean of the two middle values", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeNaN();
});

it("returns the range with the median", () => {
  expect(summarize([5, 1, 9])).toEqual({ median: 5, least: 1, most: 9 });
});

it("compares medians, with the range of the paired runs", () => {
  expect(compare([2, 4, 12], [1, 4, 3])).toEqual({ median: 4 / 3, least: 1, most: 4 });
  expect(compare([6], [2, 4, 3])).toEqual({ median: 2, least: 3, most: 3 });
});

it("finds the exponent of a cost", () => {
  expect(growth({ size: 10, cost: 7 }, { size: 40, cost: 28 })).toBeCloseTo(1);
  expect(growth({ size: 40, cost: 16 }, { size: 10, cost: 1 })).toBeCloseTo(2);
});
