/** Splits a streaming response into blocks within a range of sizes. */
import type { Complete } from "pi-ai/call";
import { type Checks, checkOptions, mustBeCountOrOff, mustBeOneOf } from "../checks.js";
import {
  type CodeFence,
  FenceScanner,
  isClosingLine,
  isSpace,
  isSurrogatePair,
  NEWLINE,
  toClosingLine,
  toOpeningLine,
} from "./fence-scanner.js";

/** Buffers text and emits it in blocks. A product may supply its own. */
export interface BlockChunker {
  /** Adds text to the buffer. */
  append(text: string): void;
  /** Whether there is text that was not emitted. */
  hasBuffered(): boolean;
  /** The text that was not emitted, without the line breaks that separate it from the last block. */
  readonly bufferedText: string;
  /** Emits the blocks that are complete; with `force` the whole buffer, in as few blocks as possible. */
  drain(options: { force: boolean; emit: (chunk: string) => void }): void;
  /** Empties the buffer for another response. */
  reset(): void;
}

/** How long blocks are and where they end. */
export interface BlockChunkerOptions {
  /** No block is shorter, except the last. Default 800. */
  minChars?: number | undefined;
  /** No block is longer. Default 1200. */
  maxChars?: number | undefined;
  /**
   * Where a block may end as soon as it is long enough. Other places are taken only when it would get too long. Default
   * `"paragraph"`.
   */
  breakPreference?: BreakPreference | undefined;
}

const OPTIONS: Checks<keyof BlockChunkerOptions> = {
  minChars: mustBeCountOrOff,
  maxChars: mustBeCountOrOff,
  breakPreference: mustBeOneOf(["paragraph", "newline", "sentence", "whitespace"]),
};

/**
 * Blocks end at the preferred kind of break, and depend only on the text, not on how it was split. A block that must
 * end inside a code fence closes it, and the next one reopens it. Surrogate pairs stay together.
 *
 * Cost: linear in the text; only the text after a break is read twice.
 */
export function createBlockChunker(options: BlockChunkerOptions = {}): BlockChunker {
  checkOptions(options, OPTIONS);
  return new MarkdownChunker(options);
}

const BLANK_LINES = /^(?:[ \t\r]*\n)+/;

class MarkdownChunker implements BlockChunker {
  readonly #limits: Complete<BlockChunkerOptions>;
  #text = "";
  /** The start of the current block in the text. */
  #start = 0;
  /** Whether no text was cut off before the current block. */
  #isFirst = true;
  /** The position up to which the finder has read the text. */
  #read = 0;
  /** The fence that the next block reopens. */
  #reopen: CodeFence | undefined;
  #place: "line start" | "in a line" = "line start";
  #finder: BreakFinder;

  constructor({ minChars = 800, maxChars = 1200, breakPreference = "paragraph" }: BlockChunkerOptions) {
    const max = Math.max(1, Math.floor(maxChars) || 1);
    this.#limits = { minChars: Math.min(max, Math.max(1, Math.floor(minChars) || 1)), maxChars: max, breakPreference };
    this.#finder = this.#createFinder();
  }

  get bufferedText(): string {
    const text = this.#text.slice(this.#start);
    // In a fence that was cut, blank lines are content.
    return this.#isFirst || this.#reopen ? text : text.replace(BLANK_LINES, "");
  }

  append(text: string): void {
    // Read the new piece, not the joined text: reading a joined string would make the engine flatten it at each delta.
    const isCaughtUp = this.#read === this.#text.length;
    this.#text += text;
    if (!isCaughtUp) return;
    let at = 0;
    while (at < text.length && !this.#finder.isFull) this.#finder.read(text.charCodeAt(at++));
    this.#read += at;
  }

  hasBuffered(): boolean {
    return this.#text.length > this.#start;
  }

  drain({ force, emit }: { force: boolean; emit: (chunk: string) => void }): void {
    for (;;) {
      this.#readRest();
      const found = force ? this.#finder.findLatest() : this.#finder.findEarliest();
      if (!found) break;
      this.#emitChunk(this.#cut(found), emit);
    }
    if (force && this.hasBuffered()) {
      const end = { index: this.#text.length - this.#start, fence: this.#finder.fence };
      this.#emitChunk(this.#cut(end), emit);
    }
    this.#dropEmitted();
  }

  reset(): void {
    this.#text = "";
    this.#start = 0;
    this.#isFirst = true;
    this.#reopen = undefined;
    this.#place = "line start";
    this.#restart();
  }

  #readRest(): void {
    while (this.#read < this.#text.length && !this.#finder.isFull)
      this.#finder.read(this.#text.charCodeAt(this.#read++));
  }

  #cut({ index, fence }: FoundBreak): string {
    const end = this.#start + index;
    const piece = this.#text.slice(this.#start, end);
    const chunk = this.#toChunk(piece, fence);
    const next = this.#text.charCodeAt(end);
    this.#place = next === NEWLINE ? "line start" : findPlace(piece, this.#place);
    this.#start = next === NEWLINE || isSpace(next) ? end + 1 : end;
    this.#isFirst = false;
    this.#reopen = fence;
    this.#restart();
    return chunk;
  }

  /** Drops the emitted text. Runs once per drain, because copying the rest after each block would be quadratic. */
  #dropEmitted(): void {
    if (this.#start === 0) return;
    this.#text = this.#text.slice(this.#start);
    this.#read -= this.#start;
    this.#start = 0;
  }

  #toChunk(text: string, fence: CodeFence | undefined): string {
    const body = this.#toBody(text);
    if (body.trim() === "") return "";
    return fence ? `${body}\n${toClosingLine(fence)}` : body;
  }

  #toBody(text: string): string {
    const body = text.trimEnd();
    if (!this.#reopen) return this.#place === "line start" ? body.replace(BLANK_LINES, "") : body.trimStart();
    const lineEnd = body.indexOf("\n");
    const firstLine = lineEnd < 0 ? body : body.slice(0, lineEnd);
    // The fence was cut at its very end: nothing is left to put into it.
    if (isClosingLine(firstLine, this.#reopen)) return body.slice(firstLine.length).trimStart();
    return body === "" ? "" : `${toOpeningLine(this.#reopen)}\n${body}`;
  }

  #emitChunk(chunk: string, emit: (chunk: string) => void): void {
    if (chunk !== "") emit(chunk);
  }

  #restart(): void {
    this.#read = this.#start;
    this.#finder = this.#createFinder();
  }

  #createFinder(): BreakFinder {
    const prefixLength = this.#reopen ? toOpeningLine(this.#reopen).length + 1 : 0;
    return new BreakFinder(this.#limits, { fence: this.#reopen, place: this.#place, prefixLength });
  }
}

/** The place of the text after a piece that began at `first`. Spaces keep the place at the start of a line. */
function findPlace(piece: string, first: "line start" | "in a line"): "line start" | "in a line" {
  let at = piece.length;
  while (at > 0 && isSpace(piece.charCodeAt(at - 1))) at--;
  if (at === 0) return first;
  return piece.charCodeAt(at - 1) === NEWLINE ? "line start" : "in a line";
}

/** Options of the built-in chunker, a chunker of the product, or false for none. */
export type ChunkerOption = BlockChunker | BlockChunkerOptions | false;

/** Creates the chunker that the options describe. */
export function resolveChunker(option: ChunkerOption | undefined): BlockChunker | undefined {
  if (!option) return undefined;
  return isChunker(option) ? option : createBlockChunker(option);
}

function isChunker(option: BlockChunker | BlockChunkerOptions): option is BlockChunker {
  return "drain" in option;
}

// Finds where a text can be broken, one character at a time. Positions count from the start of the piece that is to be
// cut; a break at `n` leaves the first `n` characters before it.

/** The kind of place at which a block should end. */
export type BreakPreference = "paragraph" | "newline" | "sentence" | "whitespace";

interface BreakLimits {
  minChars: number;
  maxChars: number;
  breakPreference: BreakPreference;
}

interface FoundBreak {
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

class BreakFinder {
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
