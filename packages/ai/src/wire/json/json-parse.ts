/** Parses JSON from a model, which may be malformed. */

/**
 * Matches the end of a string, a complete escape, or a character that a string must not contain: a lone backslash or a
 * control character.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: raw control characters are what is looked for.
const MARK = /"|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\|[\u0000-\u001f]/g;

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/**
 * Escapes raw control characters in strings and doubles a backslash that does not start an escape. Changes nothing
 * else.
 */
export function repairJson(text: string): string {
  let inString = false;
  return text.replace(MARK, (mark) => {
    if (mark === '"') inString = !inString;
    return inString ? repairMark(mark) : mark;
  });
}

/**
 * Parses JSON, and repairs it first if necessary.
 *
 * @typeParam TValue the type that the caller expects; the value is not checked against it
 * @throws SyntaxError if the text cannot be repaired; the error describes the original text
 */
export function parseJsonWithRepair<TValue = unknown>(text: string): TValue {
  try {
    return JSON.parse(text);
  } catch (error) {
    const repaired = repairJson(text);
    if (repaired === text) throw error;
    try {
      return JSON.parse(repaired);
    } catch {
      throw error;
    }
  }
}

function repairMark(mark: string): string {
  if (mark === "\\") return "\\\\";
  if (mark.length > 1 || mark === '"') return mark;
  return SHORT_ESCAPES[mark] ?? `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
