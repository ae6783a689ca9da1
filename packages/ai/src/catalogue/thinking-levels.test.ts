import { clampThinkingLevel, getSupportedThinkingLevels, type ModelThinkingLevel, type ThinkingLevelMap } from "pi-ai";
import { expect, test } from "vitest";

function thinker(thinkingLevelMap?: ThinkingLevelMap): { reasoning: boolean; thinkingLevelMap?: ThinkingLevelMap } {
  return thinkingLevelMap ? { reasoning: true, thinkingLevelMap } : { reasoning: true };
}

test("a model without thinking has only the level off", () => {
  const model = { reasoning: false, thinkingLevelMap: { high: "high", xhigh: "xhigh" } };
  expect(getSupportedThinkingLevels(model)).toEqual(["off"]);
  expect(clampThinkingLevel(model, "high")).toBe("off");
});

test("a model without a map has the five common levels", () => {
  expect(getSupportedThinkingLevels(thinker())).toEqual(["off", "minimal", "low", "medium", "high"]);
});

test("the two rare levels exist if the map has them, and null removes a level", () => {
  expect(getSupportedThinkingLevels(thinker({ xhigh: "xhigh" }))).toContain("xhigh");
  expect(getSupportedThinkingLevels(thinker({ xhigh: "xhigh" }))).not.toContain("max");
  expect(getSupportedThinkingLevels(thinker({ max: "max", xhigh: null }))).toEqual([
    "off",
    "minimal",
    "low",
    "medium",
    "high",
    "max",
  ]);
  expect(getSupportedThinkingLevels(thinker({ off: null, minimal: null }))).toEqual(["low", "medium", "high"]);
});

test.each<[ModelThinkingLevel, ThinkingLevelMap, ModelThinkingLevel]>([
  ["medium", {}, "medium"],
  ["max", {}, "high"],
  ["max", { xhigh: "xhigh" }, "xhigh"],
  ["xhigh", { max: "max" }, "max"],
  ["off", { off: null, minimal: null }, "low"],
  ["minimal", { minimal: null, low: null }, "medium"],
  ["high", { high: null }, "medium"],
  ["high", { high: null, medium: null, low: null, minimal: null }, "off"],
])("%s on a model with %j becomes %s", (level, map, expected) => {
  expect(clampThinkingLevel(thinker(map), level)).toBe(expected);
});

test("a model whose levels are all removed has only the level off", () => {
  const model = thinker({ off: null, minimal: null, low: null, medium: null, high: null });
  expect(clampThinkingLevel(model, "high")).toBe("off");
});
