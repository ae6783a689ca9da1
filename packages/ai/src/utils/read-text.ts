/** Reads texts from values of unknown type, and values from JSON text. */

/** Whether a value is a non-empty string. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The value if it is a string, else an empty one. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** An index, which some servers send as text; undefined for anything else. */
export function indexIn(value: unknown): number | undefined {
  if (typeof value === "string" && /^\d{1,9}$/.test(value)) return Number(value);
  return typeof value === "number" ? value : undefined;
}

/** The entry with the index 0 or none: if a request asks for several answers, only the first is used. */
export function firstIndexed<TEntry extends { index?: unknown }>(
  entries: readonly (TEntry | null)[] | null | undefined,
): TEntry | undefined {
  if (!Array.isArray(entries)) return undefined;
  for (const entry of entries) if (entry && indexIn(entry.index ?? 0) === 0) return entry;
  return undefined;
}

/** How JSON text ends that begins like this. */
const ENDS: Readonly<Record<string, string>> = { "{": "}", "[": "]", '"': '"' };
const PLAIN_VALUE = /^\s*(?:true|false|null|-?\d[\d.eE+-]*)\s*$/;

/** The value of JSON text, or the fallback if the text is not JSON. The value is never `undefined`. */
export function tryParseJson(text: string, fallback?: string): unknown {
  // An error costs far more than this look, and a server can cut off thousands of calls.
  if (!looksLikeJson(text)) return fallback;
  try {
    return JSON.parse(text);
  } catch {
    return fallback;
  }
}

function looksLikeJson(text: string): boolean {
  const first = /\S/.exec(text)?.[0] ?? "";
  const end = ENDS[first];
  return end === undefined ? PLAIN_VALUE.test(text) : text.trimEnd().endsWith(end);
}
