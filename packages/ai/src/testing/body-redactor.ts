/**
 * Removes secrets from a body that is recorded in pieces, even if a secret is split over pieces or surrounded by bytes
 * that are not UTF-8. Works on binary strings, in which each character is a byte.
 */
import { characterPatterns, longestForm, REDACTED, secretsPatterns } from "../utils/redact.js";

interface Piece {
  bytes: string;
  at: number;
}

export class BodyRedactor {
  readonly #patterns: readonly RegExp[];
  /** A piece is held back while a secret that starts in it may continue in a later piece. */
  readonly #findOpenSecret: (text: string) => number;
  readonly #onPiece: (bytes: Uint8Array, at: number) => void;
  #held: Piece[] = [];

  /** @param onPiece receives each piece without secrets, with the time of its arrival */
  constructor(secrets: readonly string[], onPiece: (bytes: Uint8Array, at: number) => void) {
    const binary = secrets.map((secret) => toBinary(new TextEncoder().encode(secret)));
    this.#patterns = secretsPatterns(binary);
    this.#findOpenSecret = createPrefixSearch(binary, longestForm(binary));
    this.#onPiece = onPiece;
  }

  push(bytes: Uint8Array, at: number): void {
    this.#held.push({ bytes: toBinary(bytes), at });
    this.#release(this.#findOpenSecret);
  }

  end(): void {
    this.#release((text) => text.length);
  }

  /** Passes on the pieces that end before the position from which bytes are held back. */
  #release(findHeld: (text: string) => number): void {
    const text = this.#held.map(({ bytes }) => bytes).join("");
    const matches = this.#patterns.flatMap((pattern) => [...text.matchAll(pattern)]);
    const found = matches.map(toRange).sort((one, other) => one.start - other.start);
    const heldFrom = findHeld(text);
    let start = 0;
    const held: Piece[] = [];
    for (const { bytes, at } of this.#held) {
      const end = start + bytes.length;
      if (end <= heldFrom && held.length === 0) this.#onPiece(toBytes(cutRanges(text, start, end, found)), at);
      // The rest of a secret that started in an earlier piece is passed on with this one.
      else held.push({ bytes: held.length === 0 ? text.slice(endOfRangeAt(start, found), end) : bytes, at });
      start = end;
    }
    this.#held = held;
  }
}

interface Range {
  start: number;
  end: number;
}

function toRange(match: RegExpExecArray): Range {
  return { start: match.index, end: match.index + match[0].length };
}

/** The text from `start` to `end`. A secret is replaced at its start, and its rest is omitted. */
function cutRanges(text: string, start: number, end: number, ranges: readonly Range[]): string {
  let clean = "";
  let position = start;
  for (const range of ranges) {
    if (range.end <= start || range.start >= end) continue;
    clean += text.slice(position, Math.max(position, range.start)) + (range.start >= start ? REDACTED : "");
    position = Math.min(range.end, end);
  }
  return clean + text.slice(position, end);
}

/** The end of the range that starts before a position and extends past it, or the position itself. */
function endOfRangeAt(place: number, ranges: readonly Range[]): number {
  return ranges.find(({ start, end }) => start < place && end > place)?.end ?? place;
}

function toBinary(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

function toBytes(binary: string): Uint8Array {
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** The start of an escape or of an encoded character, which only the next characters can resolve. */
const OPEN_ESCAPE = /^(?:\\+(?:u[\da-f]{0,3})?|%(?:25)*(?:2|[\da-f])?)$/i;

/**
 * Creates a function that returns the position at the end of a text from which it may continue as a secret, or the
 * text's length.
 *
 * @param longest maximum length of a secret in any form
 */
function createPrefixSearch(secrets: readonly string[], longest: number): (text: string) => number {
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
