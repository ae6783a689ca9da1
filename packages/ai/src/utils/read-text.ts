/** Reads texts from values of unknown type, and values from JSON text. */

/** Whether a value is a non-empty string. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The value if it is a string, else an empty one. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The value of JSON text, or the fallback if the text is not JSON. The value is never `undefined`. */
export function tryParseJson(text: string, fallback?: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fallback;
  }
}
