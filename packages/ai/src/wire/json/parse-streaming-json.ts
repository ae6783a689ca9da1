/** Parses JSON from a model, which may be cut off. */
import { StreamingJsonParser } from "./streaming-json.js";

/**
 * Parses JSON that may be cut off; returns `{}` if nothing can be read. Complete values are exact. An unfinished string
 * or number at the end keeps what has arrived. A partial literal and a key without a value are omitted.
 *
 * Reads the whole text. For a streaming tool call, the `arguments` of its block cost less: they parse only the new
 * text.
 *
 * @typeParam TValue the type that the caller expects; the value is not checked against it
 */
export function parseStreamingJson<TValue = unknown>(text: string | undefined): TValue {
  // The caller states the type, as with JSON.parse.
  return readStreamingJson(text) as TValue;
}

function readStreamingJson(text: string | undefined): unknown {
  if (text === undefined || text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    const parser = new StreamingJsonParser();
    parser.feed(text);
    return parser.value === undefined ? {} : parser.value;
  }
}
