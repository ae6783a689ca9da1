/** Finds the error in a body that is no event stream. */
import { isObject } from "../utils/is-object.js";
import { tryParseJson } from "../utils/read-text.js";

/** Most lines at which parsing is attempted. */
const MAX_STARTS = 16;
/** Fields by which the error objects of servers are recognized. */
const ERROR_FIELDS = ["error", "errors", "message", "detail"];

/** Returns the error object, or `undefined` if the text has none. The error may span several lines. */
export function parseUnframedError(text: string): object | undefined {
  const lines = text.trim().split("\n");
  const starts = lines.flatMap((line, index) => (/^\s*[[{]/.test(line) ? [index] : []));
  for (const start of starts.slice(0, MAX_STARTS)) {
    const rest = lines.slice(start);
    const value = tryParseJson(rest.join("\n")) ?? tryParseJson(rest[0] ?? "");
    if (isError(value)) return value;
  }
  return undefined;
}

function isError(value: unknown): value is object {
  const body: unknown = Array.isArray(value) ? value[0] : value;
  if (!isObject(body)) return false;
  const fields: Record<string, unknown> = { ...body };
  return fields["type"] === "error" || ERROR_FIELDS.some((name) => Boolean(fields[name]));
}
