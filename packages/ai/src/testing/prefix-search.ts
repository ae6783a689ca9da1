/** Finds the start of a secret at the end of a text, so that its rest can be awaited. */
import { characterPatterns } from "../transport/redact.js";

/** The start of an escape or of an encoded character, which only the next characters can resolve. */
const OPEN_ESCAPE = /^(?:\\+(?:u[\da-f]{0,3})?|%(?:25)*(?:2|[\da-f])?)$/i;

/**
 * Creates a function that returns the position at the end of a text from which it may continue as a secret, or the
 * text's length.
 *
 * @param longest maximum length of a secret in any form
 */
export function createPrefixSearch(secrets: readonly string[], longest: number): (text: string) => number {
  const forms = secrets
    .flatMap(characterPatterns)
    .map((characters) => characters.map((pattern) => new RegExp(pattern, "iy")));
  const firstCharacters = new Set<string>(["\\", "%"]);
  for (let code = 0; code < 256; code++) {
    const character = String.fromCharCode(code);
    if (forms.some(([first]) => first && matchEnd(first, character, 0) > 0)) firstCharacters.add(character);
  }
  return (text) => {
    for (let start = Math.max(0, text.length - longest); start < text.length; start++) {
      if (firstCharacters.has(text.charAt(start)) && forms.some((form) => isOpen(form, text, start))) return start;
    }
    return text.length;
  };
}

/** Whether the text from `start` to its end is the beginning of a form, but not the whole form. */
function isOpen(form: readonly RegExp[], text: string, start: number): boolean {
  let position = start;
  for (const character of form) {
    if (position === text.length) return true;
    const end = matchEnd(character, text, position);
    if (end === 0) return OPEN_ESCAPE.test(text.slice(position, position + 16)) && position + 16 >= text.length;
    position = end;
  }
  return false;
}

/** The end of the match at a position; 0 if there is none. */
function matchEnd(sticky: RegExp, text: string, position: number): number {
  sticky.lastIndex = position;
  return sticky.test(text) ? sticky.lastIndex : 0;
}
