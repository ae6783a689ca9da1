/**
 * Finds where a text can be broken, one character at a time. Positions count from the start of the piece that is to be
 * cut; a break at `n` leaves the first `n` characters before it.
 */
import { type CodeFence, FenceScanner, isSpace, isSurrogatePair, NEWLINE } from "./fence-scanner.js";

/** The kind of place at which a block should end. */
export type BreakPreference = "paragraph" | "newline" | "sentence" | "whitespace";

interface BreakLimits {
  minChars: number;
  maxChars: number;
  breakPreference: BreakPreference;
}

export interface FoundBreak {
  index: number;
  /** The fence that contains the break. */
  fence: CodeFence | undefined;
}

/** The rank of each kind of break under each preference; 0 is the preferred one. */
const RANKS: Record<BreakPreference, Record<BreakPreference, number>> = {
  paragraph: { paragraph: 0, newline: 1, sentence: 2, whitespace: 3 },
  newline: { paragraph: 0, newline: 0, sentence: 1, whitespace: 2 },
  sentence: { paragraph: 0, newline: 1, sentence: 0, whitespace: 2 },
  whitespace: { paragraph: 0, newline: 0, sentence: 0, whitespace: 0 },
};

/** Where a piece begins. */
interface PieceStart {
  /** The fence that is open there. */
  fence?: CodeFence | undefined;
  place: "line start" | "in a line";
  /** The number of characters that will be prepended to the piece. */
  prefixLength: number;
}

export class BreakFinder {
  readonly #limits: BreakLimits;
  readonly #scanner: FenceScanner;
  readonly #sentences = new SentenceScanner();
  readonly #prefixLength: number;
  #length = 0;
  #previous = 0;
  /** The last place that is not inside a surrogate pair. */
  #lastBoundary = 0;
  /** The first break of the preferred kind. */
  #first: number | undefined;
  /** The last break of each rank. */
  readonly #last: (number | undefined)[] = [];
  /** Where the latest line ended, while only blanks followed. */
  #lineEnd: number | undefined;
  #lastOutside = 0;
  #inside: { newline: number; space: number; any: number; fence: CodeFence } | undefined;

  constructor(limits: BreakLimits, { fence, place, prefixLength }: PieceStart) {
    this.#limits = limits;
    this.#scanner = new FenceScanner(fence, place);
    this.#prefixLength = prefixLength;
  }

  /** The piece is longer than allowed: it has to be cut before more is read. */
  get isFull(): boolean {
    return this.#prefixLength + this.#length > this.#limits.maxChars && this.#lastBoundary > 0;
  }

  /** The fence at the end of what was read. */
  get fence(): CodeFence | undefined {
    return this.#scanner.openFence;
  }

  read(code: number): void {
    const at = this.#length++;
    if (at > 0 && !isSurrogatePair(this.#previous, code)) this.#noteAnywhere(at);
    this.#previous = code;
    const before = this.#scanner.fence;
    const wasOpening = this.#scanner.isInOpeningLine;
    this.#scanner.advance(code);
    const after = this.#scanner.fence;
    const endsSentence = this.#sentences.endsBefore(code);
    if (!after) this.#readOutside(code, at, endsSentence);
    else if (before === after && !wasOpening) this.#readInside(code, at, after);
    if (code !== NEWLINE && !isSpace(code)) this.#lineEnd = undefined;
  }

  /** The earliest break of the preferred kind; the best of any kind once the piece is full. */
  findEarliest(): FoundBreak | undefined {
    if (this.#first !== undefined) return { index: this.#first, fence: undefined };
    return this.findLatest();
  }

  /** The latest of the best breaks of a piece that is full. */
  findLatest(): FoundBreak | undefined {
    if (!this.isFull) return undefined;
    const outside = this.#last.find((index) => index !== undefined);
    if (outside !== undefined) return { index: outside, fence: undefined };
    // Prefer a cut outside if the fence has ended, or if its content begins only at the limit.
    if (this.#inside && this.#scanner.fence === this.#inside.fence) {
      const { newline, space, any, fence } = this.#inside;
      return { index: newline || space || any, fence };
    }
    if (this.#lastOutside > 0) return { index: this.#lastOutside, fence: undefined };
    return { index: this.#lastBoundary, fence: this.#scanner.openFence };
  }

  #readOutside(code: number, at: number, endsSentence: boolean): void {
    if (code === NEWLINE) this.#noteNewline(at);
    else if (isSpace(code)) this.#note("whitespace", at);
    if (endsSentence) this.#note("sentence", at);
  }

  #readInside(code: number, at: number, fence: CodeFence): void {
    if (code === NEWLINE) this.#noteInside("newline", at, fence);
    else if (isSpace(code)) this.#noteInside("space", at, fence);
  }

  #noteNewline(at: number): void {
    if (this.#lineEnd !== undefined) this.#note("paragraph", this.#lineEnd);
    this.#lineEnd ??= at;
    this.#note("newline", at);
  }

  #note(kind: BreakPreference, index: number): void {
    const { minChars, maxChars, breakPreference } = this.#limits;
    const length = this.#prefixLength + index;
    if (index === 0 || length < minChars || length > maxChars) return;
    const rank = RANKS[breakPreference][kind];
    this.#last[rank] = index;
    if (rank === 0) this.#first ??= index;
  }

  #noteInside(kind: "newline" | "space", index: number, fence: CodeFence): void {
    if (!this.#fitsInside(index, fence) || this.#prefixLength + index < this.#limits.minChars) return;
    if (this.#inside?.fence === fence && index > 0) this.#inside[kind] = index;
  }

  /** The last resort, for a text without any other break. */
  #noteAnywhere(index: number): void {
    this.#lastBoundary = index;
    const { fence, isInRun, isInOpeningLine } = this.#scanner;
    if (isInRun) return;
    if (!fence) {
      if (this.#prefixLength + index <= this.#limits.maxChars) this.#lastOutside = index;
    } else if (!isInOpeningLine && this.#fitsInside(index, fence)) {
      if (this.#inside?.fence === fence) this.#inside.any = index;
      else this.#inside = { newline: 0, space: 0, any: index, fence };
    }
  }

  /** Room must be left to close the fence. */
  #fitsInside(index: number, fence: CodeFence): boolean {
    return this.#prefixLength + index + 1 + fence.length <= this.#limits.maxChars;
  }
}

type Role = "other" | "terminator" | "wide terminator" | "closer" | "blank" | "digit";

/** A wide terminator ends a sentence without a space; a closer may stand between the end of a sentence and the space. */
const ROLES = new Map<number, Role>([
  ...toEntries(".!?…", "terminator"),
  ...toEntries("。！？", "wide terminator"),
  ...toEntries("\"'”’)]*_」』）", "closer"),
  ...toEntries(" \t\r\n", "blank"),
  ...toEntries("0123456789", "digit"),
]);

/** The roles of the common characters, where a look-up is cheapest. */
const COMMON_ROLES: readonly Role[] = Array.from({ length: 128 }, (_, code) => ROLES.get(code) ?? "other");

/** Finds the ends of sentences, one character at a time. */
class SentenceScanner {
  #end: "none" | "needs space" | "wide" = "none";
  #previous: Role = "other";

  /** Reads a character. Returns whether a sentence has ended before it. */
  endsBefore(code: number): boolean {
    const role = COMMON_ROLES[code] ?? ROLES.get(code) ?? "other";
    const end = this.#end;
    if (end === "none" && role === "other") {
      this.#previous = role;
      return false;
    }
    if (end !== "none" && role === "closer") return false;
    // After a digit, a full stop more often belongs to a list number than to the end of a sentence.
    if (role === "terminator" && this.#previous !== "digit") this.#end = "needs space";
    else this.#end = role === "wide terminator" ? "wide" : "none";
    this.#previous = role;
    return end === "wide" ? this.#end === "none" : end === "needs space" && role === "blank";
  }
}

function toEntries(characters: string, role: Role): [number, Role][] {
  return Array.from(characters, (character) => [character.charCodeAt(0), role]);
}
