/** Copies of plain data. */
import { setOwn } from "./set-own.js";

/**
 * A deep copy of data as JSON has it. Several times faster than `structuredClone`, which still copies what is no such
 * data. The value must not contain itself.
 */
export function cloneData<TValue>(value: TValue): TValue;
export function cloneData(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return typeof value === "function" ? structuredClone(value) : value;
  if (Array.isArray(value)) return value.map((item) => cloneData<unknown>(item));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return structuredClone(value);
  const copy: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value)) setOwn(copy, key, cloneData<unknown>(child));
  return copy;
}
