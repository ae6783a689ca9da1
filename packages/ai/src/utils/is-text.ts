/** Whether a value is a string with something in it. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
