/** Converts any value to one that JSON can represent. */

/** Deeper values are replaced, because reading them back would recurse as deeply. */
const MAX_DEPTH = 200;
/** The maximum number of values. It limits the output for a value that contains the same object many times. */
const MAX_VALUES = 1_000_000;

/** Returns the value in the form of JSON, with a text in place of each value that JSON cannot represent. */
export function toPlainValue(value: unknown): unknown {
  return toPlain(value, [], { left: MAX_VALUES });
}

function toPlain(value: unknown, parents: readonly object[], budget: { left: number }): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (parents.includes(value)) return "[circular]";
  if (parents.length >= MAX_DEPTH || budget.left-- <= 0) return "[too large]";
  try {
    if ("toJSON" in value && typeof value.toJSON === "function") return JSON.parse(JSON.stringify(value) ?? "null");
  } catch {
    return "[unreadable]";
  }
  const path = [...parents, value];
  if (Array.isArray(value)) return value.map((element) => toPlain(element, path, budget));
  return Object.fromEntries(Object.keys(value).map((key) => [key, toPlain(readField(value, key), path, budget)]));
}

function readField(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return "[unreadable]";
  }
}
