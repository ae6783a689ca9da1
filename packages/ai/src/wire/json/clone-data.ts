/** Copies plain data, and sets the keys in it that a model chose. */
import { isDeeperThan } from "./json-limits.js";

/** Thrown if a value is nested too deep, which includes a value that contains itself. */
export class TooDeepError extends Error {}

/**
 * Returns a deep copy of JSON-like data. Several times faster than `structuredClone`, which still copies all other
 * values.
 *
 * @param maxDepth the maximum nesting of arrays and objects; without it, the value must not contain itself
 * @throws TooDeepError if the value is nested deeper
 */
export function cloneData<TValue>(value: TValue, maxDepth?: number): TValue;
export function cloneData(value: unknown, maxDepth: number = Number.POSITIVE_INFINITY): unknown {
  if (typeof value !== "object" || value === null) return typeof value === "function" ? structuredClone(value) : value;
  if (maxDepth < 1) throw new TooDeepError();
  if (Array.isArray(value)) return value.map((item) => cloneData<unknown>(item, maxDepth - 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return cloneOther(value, maxDepth);
  // Reading all keys at once is much faster than one by one, and most arguments have no further level.
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

/** Sets a key as JSON.parse does: an inherited name such as `__proto__` becomes plain data. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key in Object.prototype) {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}
