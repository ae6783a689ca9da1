/** Tells objects from other values of unknown type. */

/** Whether a value is an object or a list, and not `null`. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether a value is an object with fields: neither `null` nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
