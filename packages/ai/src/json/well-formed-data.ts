/** Keeping data valid Unicode, as {@link sanitizeSurrogates} keeps text. */

/** JSON writes half of a surrogate pair as an escape, and whole characters as they are. */
const LONE_SURROGATE = /\\ud[89a-f]/;
/** Each escape as a whole, so that an escaped backslash before a `u` is not taken for one. */
const ESCAPE = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g;

/** JSON data without halves of surrogate pairs, in keys too: providers refuse them; the same object where there are none. */
export function toWellFormed(data: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(data);
  if (!LONE_SURROGATE.test(text)) return data;
  return JSON.parse(text.replace(ESCAPE, (part) => (part.length > 2 ? "" : part)));
}
