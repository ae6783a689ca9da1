/** Finds the JSON in the text of a response. */
import { isRecord } from "../utils/is-object.js";
import { DEFAULT_MAX_JSON_DEPTH, isJsonDeeperThan, parseJsonWithRepair, StreamingJsonParser } from "../wire/index.js";

/** The maximum number of passes over a text, because a text full of braces would take one for each. */
const MAX_PASSES = 16;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** The value, or a line that tells the model what is wrong with the text. */
type FoundJson = { value: unknown } | { fault: string };

/**
 * Returns the JSON of a response: the whole text, or else the first complete object in it, such as the content of a code
 * fence or the text after an introduction.
 */
export function findJson(text: string): FoundJson {
  const whole = text.trim();
  if (whole === "") return { fault: "root: the response has no text" };
  const found = parse(whole) ?? findObject(whole);
  return found ?? { fault: `root: ${describeFault(whole)}` };
}

function findObject(text: string): FoundJson | undefined {
  let budget = text.length * MAX_PASSES;
  for (let start = text.indexOf("{"); start !== -1 && budget > 0; start = text.indexOf("{", start + 1)) {
    const end = findEnd(text, start);
    budget -= (end ?? text.length) - start;
    const found = end === undefined ? undefined : parse(text.slice(start, end));
    if (found && ("fault" in found || isRecord(found.value))) return found;
  }
  return undefined;
}

/** Parsing and every reader of the value may recurse, so deep texts are refused first. */
function parse(text: string): FoundJson | undefined {
  const tooDeep = isJsonDeeperThan(text, DEFAULT_MAX_JSON_DEPTH);
  if (tooDeep) return { fault: `root: must NOT be nested deeper than ${DEFAULT_MAX_JSON_DEPTH} levels` };
  try {
    return { value: parseJsonWithRepair(text) };
  } catch {
    return undefined;
  }
}

/** The index after the brace that closes the one at `start`. */
function findEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (quoted && code === BACKSLASH) index++;
    else if (code === QUOTE) quoted = !quoted;
    else if (quoted) continue;
    else if (code === OPEN) depth++;
    else if (code === CLOSE && --depth === 0) return index + 1;
  }
  return undefined;
}

function describeFault(text: string): string {
  const start = text.indexOf("{");
  if (start === -1) return "the response holds no JSON object";
  const parser = new StreamingJsonParser();
  parser.feed(text.slice(start));
  return parser.error === undefined ? "the JSON is not complete" : `the JSON is not valid: ${parser.error}`;
}
