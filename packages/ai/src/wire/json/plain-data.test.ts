import { describe, expect, it, test } from "vitest";
import { cloneData, isDeeperThan, isJsonDeeperThan, TooDeepError } from "./plain-data.js";

describe("cloneData", () => {
  test("copies every level", () => {
    const value = { a: [{ b: 1 }, null, "x"], c: { d: true } };
    const copy = cloneData(value);
    expect(copy).toEqual(value);
    expect(copy).not.toBe(value);
    expect(copy.a).not.toBe(value.a);
    expect(copy.a[0]).not.toBe(value.a[0]);
    expect(copy.c).not.toBe(value.c);
  });

  test("keeps keys with inherited names as data", () => {
    const copy = cloneData(JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}'));
    expect(Object.keys(copy)).toEqual(["__proto__", "constructor"]);
    expect(copy.polluted).toBeUndefined();
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  test("copies as many levels as allowed, and rejects deeper values", () => {
    const value = { a: [{ b: 1 }] };
    expect(cloneData(value, 3)).toEqual(value);
    expect(() => cloneData(value, 2)).toThrow(TooDeepError);
    expect(() => cloneData({ map: new Map(), date: Object.assign(new Date(), { a: [[]] }) }, 3)).toThrow(TooDeepError);
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = [cyclic, cyclic];
    expect(() => cloneData(cyclic, 256)).toThrow(TooDeepError);
  });

  test("copies other values as structuredClone does", () => {
    const date = new Date(5);
    const copy = cloneData({ date });
    expect(copy.date).toEqual(date);
    expect(copy.date).not.toBe(date);
    expect(() => cloneData({ run: () => {} })).toThrow("could not be cloned");
  });
});

import fc from "fast-check";

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

it("terminates on cycles that branch", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["left"] = cyclic;
  cyclic["right"] = [cyclic, { cyclic }];
  expect(isDeeperThan(cyclic, 256)).toBe(true);
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
