/** Validates token counts of the wire, which may be any value. */

/** A count from the wire, or undefined if it is missing, negative, not a number, or not finite. */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}
