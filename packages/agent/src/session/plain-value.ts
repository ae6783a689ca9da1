/** Makes a value that JSON can hold of one that it cannot. */

/** Deeper values are replaced: what reads them back would recurse as deep. */
const MAX_DEPTH = 200;
/** A value that holds another many times over would otherwise be written many times over. */
const MAX_VALUES = 1_000_000;

/** As JSON sees a value, with a text in the place of what JSON cannot hold. */
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
