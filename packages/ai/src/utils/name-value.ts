/** Names values in the texts of errors. */
import { isObject } from "./is-object.js";

/** Whether a value is what a caller has forgotten to await. */
export function isPromise(value: unknown): boolean {
  return isObject(value) && "then" in value && typeof value.then === "function";
}

/** A short text for a value. Of an object only what it is, because it may contain secrets. */
export function nameValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 60));
  if (Array.isArray(value)) return "a list";
  if (typeof value === "function") return "a function";
  if (isPromise(value)) return "a promise: await it";
  return isObject(value) ? "an object" : String(value);
}
