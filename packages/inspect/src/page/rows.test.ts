import { expect, it } from "vitest";
import { formatCost, formatCount, formatMs } from "./rows.js";

it.each([
  [undefined, ""],
  [999.4, "999 ms"],
  [999.6, "1.0 s"],
  [59_940, "59.9 s"],
  [59_960, "1 min 0 s"],
  [119_600, "2 min 0 s"],
  [150_000, "2 min 30 s"],
])("formats %s ms as %j", (ms, text) => {
  expect(formatMs(ms)).toBe(text);
});

it.each([
  [9999, "9999"],
  [10_000, "10.0k"],
  [999_949, "999.9k"],
  [999_950, "1.0M"],
  [2_500_000, "2.5M"],
])("formats the count %d as %j", (count, text) => {
  expect(formatCount(count)).toBe(text);
});

it.each([
  [0, "$0"],
  [0.000001, "<$0.00001"],
  [0.00123, "$0.00123"],
  [1.5, "$1.50"],
])("formats a cost of %d as %j", (cost, text) => {
  expect(formatCost(cost)).toBe(text);
});
