/**
 * Removes secrets from a body that is recorded in pieces, even if a secret is split over pieces or surrounded by bytes
 * that are not UTF-8. Works on binary strings, in which each character is a byte.
 */
import { longestForm, REDACTED, secretsPattern } from "../transport/redact.js";
import { createPrefixSearch } from "./prefix-search.js";

interface Piece {
  bytes: string;
  at: number;
}

export class BodyRedactor {
  readonly #pattern: RegExp | undefined;
  /** A piece is held back while a secret that starts in it may continue in a later piece. */
  readonly #findOpenSecret: (text: string) => number;
  readonly #onPiece: (bytes: Uint8Array, at: number) => void;
  #held: Piece[] = [];

  /** @param onPiece receives each piece without secrets, with the time of its arrival */
  constructor(secrets: readonly string[], onPiece: (bytes: Uint8Array, at: number) => void) {
    const binary = secrets.map((secret) => toBinary(new TextEncoder().encode(secret)));
    this.#pattern = binary.length === 0 ? undefined : secretsPattern(binary);
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
    const found = this.#pattern ? [...text.matchAll(this.#pattern)].map(toRange) : [];
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
