/** Keeps text and data valid Unicode, because providers reject a request with lone surrogates. */
import { isObject } from "./is-object.js";

const UNPAIRED_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Removes lone surrogates. Surrogate pairs, such as emoji, stay. */
export function sanitizeSurrogates(text: string): string {
  return text.isWellFormed() ? text : text.replace(UNPAIRED_SURROGATE, "");
}

/** Whether a text is blank as it is sent, without lone surrogates. */
export function isBlankText(text: string): boolean {
  const trimmed = text.trim();
  // Only a text that begins with one can have nothing else.
  return trimmed === "" || (/^[\ud800-\udfff]/.test(trimmed) && sanitizeSurrogates(trimmed).trim() === "");
}

/** JSON.stringify escapes lone surrogates and writes complete characters unescaped. */
const LONE_SURROGATE = /\\ud[89a-f]/;
/** Matches each whole escape, so that an escaped backslash before a `u` is not mistaken for one. */
const ESCAPE = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g;

/** Deeper data is searched as text, which needs no recursion. */
const MAX_DEPTH = 64;

/**
 * Returns JSON data without lone surrogates, also in keys, because providers reject them. Returns the same object if
 * there are none.
 */
export function toWellFormed(data: Record<string, unknown>): Record<string, unknown> {
  if (isWellFormed(data, 0)) return data;
  const text = JSON.stringify(data);
  if (!LONE_SURROGATE.test(text)) return data;
  return JSON.parse(text.replace(ESCAPE, (part) => (part.length > 2 ? "" : part)));
}

/** Recognizes most well-formed data without serializing it, which would cost each request for each tool call. */
function isWellFormed(value: unknown, depth: number): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (!isObject(value)) return true;
  if (depth === MAX_DEPTH || "toJSON" in value) return false;
  if (Array.isArray(value)) return value.every((item) => isWellFormed(item, depth + 1));
  const fields = value as Record<string, unknown>; // not a list
  return Object.keys(fields).every((key) => key.isWellFormed() && isWellFormed(fields[key], depth + 1));
}
