/** Finds the first field of an object that is not what it must be, in words. */
import { isObject, isRecord } from "./is-object.js";

/** The expected value of a field in words, and a check. */
export type Rule = readonly [expected: string, test: (value: unknown) => boolean];

/** The first field that breaks its rule, such as `cost.input must be a number of 0 or more, not "3"`. */
export function findFault(path: string, value: unknown, rules: Readonly<Record<string, Rule>>): string | undefined {
  if (!isRecord(value)) return fieldFault(path.slice(0, -1), "an object", value);
  for (const [field, [expected, test]] of Object.entries(rules)) {
    if (!test(value[field])) return fieldFault(`${path}${field}`, expected, value[field]);
  }
  return undefined;
}

export function fieldFault(field: string, expected: string, value: unknown): string {
  return `${field} must be ${expected}, not ${describe(value)}`;
}

/** Shows plain values. Of anything larger, such as headers, only the type, because it may contain secrets. */
function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 60));
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list of other values";
  return isObject(value) ? "an object with other values" : String(value);
}

/** A whole number above 0. */
export const COUNT: Rule = ["a whole number above 0", (value) => Number.isSafeInteger(value) && Number(value) > 0];

/** A day of the calendar: the 30th of February is none. */
export const DAY: Rule = [
  "a day such as 2026-12-01",
  (value) => {
    if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
    const time = Date.parse(value);
    return Number.isFinite(time) && new Date(time).toISOString().startsWith(value);
  },
];
