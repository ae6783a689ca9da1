/** Splits a streaming response into blocks within a range of sizes. */
import { BreakFinder, type BreakPreference, type FoundBreak } from "./break-finder.js";
import { isSpace, NEWLINE } from "./characters.js";
import { type CodeFence, isClosingLine, toClosingLine, toOpeningLine } from "./fence-scanner.js";

export type { BreakPreference } from "./break-finder.js";

/** Buffers text and emits it in blocks. A product may supply its own. */
export interface BlockChunker {
  /** Adds text to the buffer. */
  append(text: string): void;
  /** Whether there is text that was not emitted. */
  hasBuffered(): boolean;
  /** The text that was not emitted, with the line break before it. */
  readonly bufferedText: string;
  /** Emits the blocks that are complete; with `force` the whole buffer, in as few blocks as possible. */
  drain(options: { force: boolean; emit: (chunk: string) => void }): void;
  /** Empties the buffer for another response. */
  reset(): void;
}

/** How long blocks are and where they end. */
export interface BlockChunkerOptions {
  /** No block is shorter, except the last. Default 800. */
  minChars?: number;
  /** No block is longer. Default 1200. */
  maxChars?: number;
  /**
   * Where a block may end as soon as it is long enough. Other places are taken only when it would get too long. Default
   * `"paragraph"`.
   */
  breakPreference?: BreakPreference;
}

/**
 * Blocks end at the preferred kind of break, and depend on the text alone, not on the pieces it came in. A block that
 * must end inside a code fence closes it, and the next one opens it again. Surrogate pairs stay together.
 *
 * Cost: linear in the text; only the text behind a break is read twice.
 */
export function createBlockChunker(options: BlockChunkerOptions = {}): BlockChunker {
  return new MarkdownChunker(options);
}

class MarkdownChunker implements BlockChunker {
  readonly #limits: Required<BlockChunkerOptions>;
  #text = "";
  /** Where in the text the current block begins. */
  #start = 0;
  /** Where the text that was emitted ends: before the line break that separates it from the current block. */
  #given = 0;
  /** How far in the text the finder has read. */
  #read = 0;
  /** The fence that the next block opens again. */
  #reopen: CodeFence | undefined;
  #place: "line start" | "in a line" = "line start";
  #finder: BreakFinder;

  constructor({ minChars = 800, maxChars = 1200, breakPreference = "paragraph" }: BlockChunkerOptions) {
    const max = Math.max(1, Math.floor(maxChars) || 1);
    this.#limits = { minChars: Math.min(max, Math.max(1, Math.floor(minChars) || 1)), maxChars: max, breakPreference };
    this.#finder = this.#createFinder();
  }

  get bufferedText(): string {
    return this.hasBuffered() ? this.#text.slice(this.#given) : "";
  }

  append(text: string): void {
    // Reading the small piece instead of the whole text spares flattening the whole at each delta.
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
    this.#forgetGiven();
  }

  reset(): void {
    this.#text = "";
    this.#start = 0;
    this.#given = 0;
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
    this.#given = next === NEWLINE ? end : this.#start;
    this.#reopen = fence;
    this.#restart();
    return chunk;
  }

  /** Once per drain: copying the text after each of its blocks would be quadratic. */
  #forgetGiven(): void {
    if (this.#given === 0) return;
    this.#text = this.#text.slice(this.#given);
    this.#read -= this.#given;
    this.#start -= this.#given;
    this.#given = 0;
  }

  #toChunk(text: string, fence: CodeFence | undefined): string {
    const body = this.#toBody(text);
    if (body.trim() === "") return "";
    return fence ? `${body}\n${toClosingLine(fence)}` : body;
  }

  #toBody(text: string): string {
    const body = text.trimEnd();
    if (!this.#reopen) return this.#place === "line start" ? body.replace(/^(?:[ \t\r]*\n)+/, "") : body.trimStart();
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

/** Where what follows a piece begins. Spaces at the start of a line change nothing; `first` is where the piece began. */
function findPlace(piece: string, first: "line start" | "in a line"): "line start" | "in a line" {
  let at = piece.length;
  while (at > 0 && isSpace(piece.charCodeAt(at - 1))) at--;
  if (at === 0) return first;
  return piece.charCodeAt(at - 1) === NEWLINE ? "line start" : "in a line";
}
