/** Whether a value is a non-empty string. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
