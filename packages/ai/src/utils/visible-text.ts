/**
 * Writes out the characters in a text of others that nobody sees, but a terminal or a page obeys: escape sequences, bells,
 * NUL, direction overrides, zero-width characters. An escape becomes `\u{1b}`.
 *
 * Joiners (U+200C, U+200D) stay inside words: Persian, Indic scripts and emoji are not readable without them, and they neither
 * move nor hide anything. After an ASCII character, after another joiner and at the beginning they join nothing.
 */

/**
 * All characters that act on others or take no place: controls, formats with the tags of U+E0000, the separators of lines and
 * paragraphs, selectors that select nothing, letters of no width.
 */
const HIDDEN =
  /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u{e0000}-\u{e0fff}]|(?<=^|[\0-\x7f\u200c\u200d])[\u200c\u200d]/gu;

/** The controls that a text of several lines needs. A carriage return before a line feed changes nothing. */
const LAYOUT = /^(?:\n|\t|\r(?=\n))/;

/**
 * Makes control and format characters of a text visible. Line feeds and tabs stay. A text without such characters is
 * returned as it is.
 *
 * @example
 * console.error(visibleText(await response.text()));
 */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, (found, place: number) =>
    LAYOUT.test(found === "\r" ? text.slice(place, place + 2) : found) ? found : writtenOut(found),
  );
}

/** The same for a text of one line, such as a name: line feeds and tabs are written out, too. */
export function visibleLine(text: string): string {
  return text.replace(HIDDEN, writtenOut);
}

/** Puts something else in the place of each of these characters, line feeds and tabs too. */
export function replaceHidden(text: string, replace: (found: string) => string): string {
  return text.replace(HIDDEN, replace);
}

function writtenOut(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
