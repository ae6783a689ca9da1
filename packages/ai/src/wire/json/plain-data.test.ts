import fc from "fast-check";
import { expect, it } from "vitest";
import { isDeeperThan } from "./clone-data.js";
import { isJsonDeeperThan } from "./plain-data.js";

// The same cases on every run.
fc.configureGlobal({ seed: 20261121 });

it.each([
  [1, 0, false],
  [[], 0, true],
  [[], 1, false],
  [{ a: [1, {}] }, 2, true],
  [{ a: [1, {}] }, 3, false],
])("checks whether %j is deeper than %i", (value, maxDepth, deeper) => {
  expect(isDeeperThan(value, maxDepth)).toBe(deeper);
  expect(isJsonDeeperThan(JSON.stringify(value), maxDepth)).toBe(deeper);
});

it("ignores brackets in strings", () => {
  expect(isJsonDeeperThan(JSON.stringify(['[[[{{{"[[[', "\\", '\\"[['], null, 1), 1)).toBe(false);
  expect(isJsonDeeperThan(JSON.stringify(["\\", [], "]]"]), 1)).toBe(true);
});

it("returns the same for a value and for its JSON text", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), fc.nat({ max: 8 }), (text, maxDepth) => {
      return isJsonDeeperThan(text, maxDepth) === isDeeperThan(JSON.parse(text), maxDepth);
    }),
  );
});
