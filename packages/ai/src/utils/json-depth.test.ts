import { expect, it } from "vitest";
import { isDeeperThan } from "./json-depth.js";

it.each([
  [1, 0, false],
  [[], 0, true],
  [[], 1, false],
  [{ a: [1, {}] }, 2, true],
  [{ a: [1, {}] }, 3, false],
])("knows whether %j is deeper than %i", (value, maxDepth, deeper) => {
  expect(isDeeperThan(value, maxDepth)).toBe(deeper);
});

it("ends on cycles that branch", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["left"] = cyclic;
  cyclic["right"] = [cyclic, { cyclic }];
  expect(isDeeperThan(cyclic, 256)).toBe(true);
});
