/** Reads texts from values of unknown type, and values from JSON text. */

/** Whether a value is a non-empty string. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The value if it is a string, else an empty one. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** How text ends that begins like this. */
const ENDS: Readonly<Record<string, string>> = { "{": "}", "[": "]" };

/** The value of JSON text, or the fallback if the text is not JSON. The value is never `undefined`. */
export function tryParseJson(text: string, fallback?: string): unknown {
  // An error costs far more than this look, and a server can cut off thousands of calls.
  const end = ENDS[text.charAt(0)];
  if (end !== undefined && !text.trimEnd().endsWith(end)) return fallback;
  try {
    return JSON.parse(text);
  } catch {
    return fallback;
  }
}
