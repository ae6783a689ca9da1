/** Token counts off the wire, where anything may stand. */

/** A count as the wire gives it, or undefined where it is missing, negative, no number, or no finite one. */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}
