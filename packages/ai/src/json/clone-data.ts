/** Copies of plain data. */
import { isDeeperThan } from "./json-depth.js";
import { setOwn } from "./set-own.js";

/** Thrown where a value is nested deeper than it may be; a value that contains itself is. */
export class TooDeepError extends Error {}

/**
 * A deep copy of data as JSON has it. Several times faster than `structuredClone`, which still copies what is no such
 * data.
 *
 * @param maxDepth most levels of arrays and objects in one another; without it, the value must not contain itself
 * @throws TooDeepError when there are more
 */
export function cloneData<TValue>(value: TValue, maxDepth?: number): TValue;
export function cloneData(value: unknown, maxDepth: number = Number.POSITIVE_INFINITY): unknown {
  if (typeof value !== "object" || value === null) return typeof value === "function" ? structuredClone(value) : value;
  if (maxDepth < 1) throw new TooDeepError();
  if (Array.isArray(value)) return value.map((item) => cloneData<unknown>(item, maxDepth - 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return cloneOther(value, maxDepth);
  // All keys at once is much faster than one after the other, and most arguments have no further level.
  const copy: Record<string, unknown> = { ...value };
  for (const key of Object.keys(copy)) {
    const child = copy[key];
    if (typeof child === "object" || typeof child === "function") setOwn(copy, key, cloneData(child, maxDepth - 1));
  }
  return copy;
}

function cloneOther(value: object, maxDepth: number): unknown {
  if (maxDepth < Number.POSITIVE_INFINITY && isDeeperThan(value, maxDepth)) throw new TooDeepError();
  return structuredClone(value);
}
