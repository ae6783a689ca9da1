/** Parsing JSON that a model wrote: with repairs, or as far as it goes. */
import { StreamingJsonParser } from "./streaming-json.js";

/** The end of a string, a whole escape, or what must not stand in a string: a lone backslash, a control character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: raw control characters are what is looked for.
const MARK = /"|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\|[\u0000-\u001f]/g;

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/** Escapes raw control characters in strings, and doubles a backslash that begins no escape. Changes nothing else. */
export function repairJson(text: string): string {
  let inString = false;
  return text.replace(MARK, (mark) => {
    if (mark === '"') inString = !inString;
    return inString ? repairMark(mark) : mark;
  });
}

/**
 * Parses JSON, repaired where it must be.
 *
 * @throws SyntaxError when the text is no JSON even so; the error is about the text as it came
 */
export function parseJsonWithRepair(text: string): unknown {
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

/**
 * The value of JSON that may have been cut off; `{}` where nothing can be read. Whole values are exact, a string or
 * number at the end is given as far as it goes, and half a literal or a key without a value is left out.
 *
 * Reads the whole text. For a call that streams, the `arguments` of its block cost less: they grow by what is new.
 */
export function parseStreamingJson(text: string | undefined): unknown {
  if (text === undefined || text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    const parser = new StreamingJsonParser();
    parser.feed(text);
    return parser.value === undefined ? {} : parser.value;
  }
}

function repairMark(mark: string): string {
  if (mark === "\\") return "\\\\";
  if (mark.length > 1 || mark === '"') return mark;
  return SHORT_ESCAPES[mark] ?? `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
