/**
 * Writes out the characters in a text of others that nobody sees, but a terminal or a page obeys: escape sequences, bells,
 * NUL, direction overrides, zero-width characters. An escape becomes `\u{1b}`.
 *
 * Joiners (U+200C, U+200D) and selectors of a form (U+FE00 to U+FE0F, those of Mongolian) stay inside words: Persian, Indic and
 * Mongolian scripts and emoji are not readable without them, and they neither move nor hide anything. After an ASCII character, after
 * what nobody sees and at the beginning they join and select nothing, but a text could carry words in them. A keycap keeps its own.
 */

const JOINER = String.raw`[\u200c\u200d]`;
const SELECTOR = String.raw`[\ufe00-\ufe0f\u180b-\u180d\u180f]`;

/** All characters that act on others or take no place: controls, formats, the separators of lines, what a font may ignore. */
const HIDDEN = new RegExp(
  [
    String.raw`(?!${JOINER}|${SELECTOR})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]`,
    String.raw`(?<=^|[\0-\x7f]|(?!${SELECTOR})\p{DI})${JOINER}`,
    String.raw`(?<=^|[\0-\x7f]|\p{DI})(?!(?<=[0-9#*])\ufe0f\u20e3)${SELECTOR}`,
  ].join("|"),
  "gu",
);

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
  return replaceHidden(text, (found, place) =>
    LAYOUT.test(found === "\r" ? text.slice(place, place + 2) : found) ? found : writtenOut(found),
  );
}

/** The same for a text of one line, such as a name: line feeds and tabs are written out, too. */
export function visibleLine(text: string): string {
  return replaceHidden(text, writtenOut);
}

/** Puts something else in the place of each of these characters, line feeds and tabs too. */
export function replaceHidden(text: string, replace: (found: string, place: number) => string): string {
  // `text.replace` takes two to four times as long.
  const pieces: string[] = [];
  let shown = "";
  let end = 0;
  for (HIDDEN.lastIndex = 0; HIDDEN.test(text); end = HIDDEN.lastIndex) {
    const place = HIDDEN.lastIndex - (Number(text.codePointAt(HIDDEN.lastIndex - 2)) > 0xffff ? 2 : 1);
    if (pieces.push(text.slice(end, place), replace(text.slice(place, HIDDEN.lastIndex), place)) > 1000)
      shown += pieces.splice(0).join("");
  }
  return end === 0 ? text : shown + pieces.join("") + text.slice(end);
}

function writtenOut(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
