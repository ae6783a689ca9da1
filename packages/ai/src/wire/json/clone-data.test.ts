import { describe, expect, it, test } from "vitest";
import { cloneData, isDeeperThan, TooDeepError } from "./clone-data.js";

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

it("terminates on cycles that branch", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["left"] = cyclic;
  cyclic["right"] = [cyclic, { cyclic }];
  expect(isDeeperThan(cyclic, 256)).toBe(true);
});
