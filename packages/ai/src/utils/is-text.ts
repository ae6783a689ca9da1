/** Reads texts from values of unknown type. */

/** Whether a value is a non-empty string. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The value if it is a string, else an empty one. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
