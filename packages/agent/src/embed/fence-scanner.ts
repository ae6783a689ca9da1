/**
 * Follows the code fences of a Markdown text, one character at a time, and names the characters that the scanners of texts know.
 *
 * Two rules are wider than CommonMark, because models write so: a fence may be indented by any number of spaces (in a
 * list), and a tag right after the closing fence does not keep the fence open.
 */

const TAB = 0x09;
export const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
export const SLASH = 0x2f;
export const LESS_THAN = 0x3c;
export const GREATER_THAN = 0x3e;
export const BACKTICK = 0x60;
const TILDE = 0x7e;

/** A space within a line. */
export function isSpace(code: number): boolean {
  return code === SPACE || code === TAB || code === CARRIAGE_RETURN;
}

/** Two code units that are one character. */
export function isSurrogatePair(first: number, second: number): boolean {
  return first >= 0xd800 && first <= 0xdbff && second >= 0xdc00 && second <= 0xdfff;
}

// The fences.

/** The minimum and maximum length of the run that opens a fence. A longer run is decoration, or an attack. */
const MIN_RUN = 3;
const MAX_RUN = 32;
/** A longer info string is not repeated when a fence is reopened. */
const MAX_INFO = 64;

export interface CodeFence {
  /** The code of its character, a backtick or a tilde. */
  marker: number;
  length: number;
  /** The rest of the opening line, truncated at a limit. */
  info: string;
}

type Phase = "indent" | "run" | "opener" | "closing" | "rest";

export class FenceScanner {
  /** The fence that the text is in, from its opening line until the end of its closing line. */
  fence: CodeFence | undefined;
  #phase: Phase;
  #marker = 0;
  #length = 0;

  constructor(fence?: CodeFence, place: "line start" | "in a line" = "line start") {
    this.fence = fence;
    this.#phase = place === "line start" ? "indent" : "rest";
  }

  /** In the run of characters that may open or close a fence. */
  get isInRun(): boolean {
    return this.#phase === "run";
  }

  /** Only the end of the line changes the state. */
  get isInRestOfLine(): boolean {
    return this.#phase === "rest";
  }

  get isInOpeningLine(): boolean {
    return this.#phase === "opener";
  }

  /** The fence that would be open if the text ended, or a tag came, here. */
  get openFence(): CodeFence | undefined {
    if (this.fence) return this.#isClosing(this.fence) ? undefined : this.fence;
    const isOpening = this.#phase === "run" && isFenceLength(this.#length);
    return isOpening ? { marker: this.#marker, length: this.#length, info: "" } : undefined;
  }

  /** Ends a fence whose closing run was seen. */
  closeIfClosing(): void {
    if (!this.fence || !this.#isClosing(this.fence)) return;
    this.fence = undefined;
    this.#phase = "rest";
  }

  advance(code: number): void {
    switch (this.#phase) {
      case "rest":
        if (code === NEWLINE) this.#phase = "indent";
        return;
      case "indent":
        this.#readIndent(code);
        return;
      case "run":
        if (code === this.#marker) this.#length++;
        else this.#endRun(code);
        return;
      case "opener":
        this.#readOpener(code);
        return;
      case "closing":
        this.#readClosing(code);
    }
  }

  #readIndent(code: number): void {
    if (code === NEWLINE || isSpace(code)) return;
    const mayBegin = this.fence ? code === this.fence.marker : code === BACKTICK || code === TILDE;
    this.#phase = mayBegin ? "run" : "rest";
    this.#marker = code;
    this.#length = 1;
  }

  #endRun(code: number): void {
    if (this.fence && this.#length >= this.fence.length) {
      this.#phase = "closing";
      this.#readClosing(code);
    } else if (!this.fence && isFenceLength(this.#length)) {
      this.fence = { marker: this.#marker, length: this.#length, info: "" };
      this.#phase = "opener";
      this.#readOpener(code);
    } else {
      this.#phase = code === NEWLINE ? "indent" : "rest";
    }
  }

  #readOpener(code: number): void {
    if (code === NEWLINE) {
      this.#phase = "indent";
    } else if (code === BACKTICK && this.#marker === BACKTICK) {
      // An inline code span at the start of a line.
      this.fence = undefined;
      this.#phase = "rest";
    } else if (this.fence && this.fence.info.length <= MAX_INFO) {
      this.fence.info += String.fromCharCode(code);
    }
  }

  #readClosing(code: number): void {
    if (code === NEWLINE) {
      this.fence = undefined;
      this.#phase = "indent";
    } else if (!isSpace(code)) {
      this.#phase = "rest";
    }
  }

  #isClosing(fence: CodeFence): boolean {
    return this.#phase === "closing" || (this.#phase === "run" && this.#length >= fence.length);
  }
}

/** The line that opens the same fence again. */
export function toOpeningLine(fence: CodeFence): string {
  const info = fence.info.length > MAX_INFO ? "" : fence.info.trim();
  return toRun(fence) + info;
}

/** The line that closes the fence. */
export function toClosingLine(fence: CodeFence): string {
  return toRun(fence);
}

/** Whether a line closes the fence. */
export function isClosingLine(line: string, fence: CodeFence): boolean {
  const run = line.trim();
  return run.length >= fence.length && run === String.fromCharCode(fence.marker).repeat(run.length);
}

function toRun({ marker, length }: CodeFence): string {
  return String.fromCharCode(marker).repeat(length);
}

function isFenceLength(length: number): boolean {
  return length >= MIN_RUN && length <= MAX_RUN;
}
