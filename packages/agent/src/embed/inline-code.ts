/** Tracks whether a text is inside a code span or fence, where tags are plain text. */
import { BACKTICK, type CodeFence, FenceScanner, isSpace, NEWLINE } from "./fence-scanner.js";

/**
 * A span opens with a run of backticks and closes with a run of the same length. Whether it will ever close cannot be
 * known while the text arrives, so it counts as open until a blank line, where a paragraph and its spans end.
 */
export class InlineCodeState {
  readonly #fences = new FenceScanner();
  /** Length of the run that opened the span; 0 = no span. */
  #span = 0;
  /** Length of the run that is being read. */
  #run = 0;
  #lineIsBlank = true;

  /** Whether a tag that came next would be code. */
  get isInside(): boolean {
    if (this.#fences.openFence) return true;
    return this.#run > 0 ? this.#run !== this.#span : this.#span > 0;
  }

  /** Reads the next UTF-16 code unit. */
  advance(code: number): void {
    // Most of a text: the middle of a line.
    if (code !== BACKTICK && code !== NEWLINE && this.#run === 0 && this.#fences.isInRestOfLine) return;
    const before = this.#fences.fence;
    this.#fences.advance(code);
    const after = this.#fences.fence;
    if (before !== after) this.#changeFence(before, code);
    else if (!after) this.#read(code);
  }

  /** A tag, which is not part of the text, ends the current run and line. */
  settle(): void {
    this.#fences.closeIfClosing();
    if (this.#run > 0) this.#endRun();
  }

  #changeFence(before: CodeFence | undefined, code: number): void {
    const wasSpan = before !== undefined && code === BACKTICK;
    this.#span = wasSpan ? before.length : 0;
    this.#run = wasSpan ? 1 : 0;
    this.#lineIsBlank = code === NEWLINE;
  }

  #read(code: number): void {
    if (code === BACKTICK) this.#run++;
    else if (this.#run > 0) this.#endRun();
    if (code === NEWLINE) this.#endLine();
    else if (!isSpace(code)) this.#lineIsBlank = false;
  }

  #endRun(): void {
    if (this.#span === 0) this.#span = this.#run;
    else if (this.#span === this.#run) this.#span = 0;
    this.#run = 0;
  }

  #endLine(): void {
    if (this.#lineIsBlank) this.#span = 0;
    this.#lineIsBlank = true;
  }
}

/** The state at the beginning of a text. */
export function createInlineCodeState(): InlineCodeState {
  return new InlineCodeState();
}
