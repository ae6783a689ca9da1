/** Splits a streaming response into blocks within a range of sizes. */
import type { Complete } from "pi-ai/call";
import { type Checks, checkOptions, mustBeCountOrOff, mustBeOneOf } from "../checks.js";
import { BreakFinder, type BreakPreference, type FoundBreak } from "./break-finder.js";
import { type CodeFence, isClosingLine, isSpace, NEWLINE, toClosingLine, toOpeningLine } from "./fence-scanner.js";

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
