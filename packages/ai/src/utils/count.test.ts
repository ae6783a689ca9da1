import { expect, it } from "vitest";
import { checkCount } from "./duration.js";

it.each([0, 1, 1000, Number.POSITIVE_INFINITY])("accepts %d", (count) => {
  expect(checkCount("maxRetries", count)).toBe(count);
});

it.each([-1, 0.5, Number.NEGATIVE_INFINITY, Number.NaN, "5" as unknown as number, null as unknown as number])(
  "rejects %s and names the option",
  (count) => {
    expect(() => checkCount("maxRetries", count)).toThrow(/^maxRetries must be a whole number/);
  },
);
