/** Removes lone surrogates from data, as {@link sanitizeSurrogates} does from text. */

/** JSON.stringify escapes lone surrogates and writes complete characters unescaped. */
const LONE_SURROGATE = /\\ud[89a-f]/;
/** Matches each whole escape, so that an escaped backslash before a `u` is not mistaken for one. */
const ESCAPE = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g;

/**
 * Returns JSON data without lone surrogates, also in keys, because providers reject them. Returns the same object if
 * there are none.
 */
export function toWellFormed(data: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(data);
  if (!LONE_SURROGATE.test(text)) return data;
  return JSON.parse(text.replace(ESCAPE, (part) => (part.length > 2 ? "" : part)));
}
