/** Reads the file of a session log part by part: beside what it has read, memory holds one part and one line. */
import { constants } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import {
  addLine,
  assertUndamaged,
  parseLine,
  type SessionLine,
  type SessionLines,
  SessionLogError,
} from "./session-lines.js";

/** The content of a file, and what its writer must know of it. */
export interface LogFile extends SessionLines {
  /** The length in bytes up to the last line that stays. */
  wholeBytes: number;
  /** Whether the last line stays, but has no line break. */
  isOpen: boolean;
}

export interface ReadOptions {
  file: string | URL;
  /** The longest line that can be read, in characters. Default: what a string can hold. */
  maxLength?: number;
}

const NEWLINE = 0x0a;
const PART_BYTES = 1 << 18;
/** Nobody reads a list of more of them, and each takes more memory than its line. */
const MAX_DAMAGED = 100_000;
const HEADER_START = '{"type":"session","version":1,"at":';

/**
 * Reads the intact lines. Blank lines, a byte-order mark and carriage returns have no meaning.
 *
 * @throws SessionLogError when the file is not a session log
 */
export async function readLog(handle: FileHandle, options: ReadOptions): Promise<LogFile> {
  const reader = new LogReader(options);
  const part = Buffer.allocUnsafe(PART_BYTES);
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(part, 0, PART_BYTES, position);
    if (bytesRead === 0) return reader.end();
    reader.add(part.subarray(0, bytesRead));
    position += bytesRead;
  }
}

class LogReader {
  readonly #log: LogFile = { lines: [], skipped: [], hasHeader: false, wholeBytes: 0, tornBytes: 0, isOpen: false };
  readonly #file: string | URL;
  readonly #maxLength: number;
  #line: LineText;
  /** The number of the present line. */
  #number = 1;

  constructor({ file, maxLength = constants.MAX_STRING_LENGTH }: ReadOptions) {
    this.#file = file;
    this.#maxLength = maxLength;
    this.#line = new LineText(maxLength);
  }

  add(part: Uint8Array): void {
    let start = 0;
    for (let end = part.indexOf(NEWLINE); end !== -1; end = part.indexOf(NEWLINE, start)) {
      this.#line.add(part.subarray(start, end), { isLast: true });
      this.#keep(this.#parse(), 1);
      start = end + 1;
    }
    this.#line.add(part.subarray(start), { isLast: false });
  }

  end(): LogFile {
    const log = this.#log;
    const { bytes } = this.#line;
    if (bytes > 0) {
      this.#line.add(new Uint8Array(), { isLast: true });
      const parsed = this.#parse();
      // The process that wrote it died. One that is too long was whole: nobody can write a part of it.
      if (typeof parsed === "string" && this.#line.fault !== "length") {
        if (this.#number === 1) assertHeaderStart(this.#line.text);
        log.tornBytes = bytes;
      } else this.#keep(parsed, 0);
    }
    if (this.#number > 1) this.#assertLog();
    return log;
  }

  #keep(parsed: SessionLine | string | undefined, breakBytes: 0 | 1): void {
    const log = this.#log;
    if (this.#number === 1) this.#assertFirst(parsed);
    addLine(log, parsed, this.#number);
    log.wholeBytes += this.#line.bytes + breakBytes;
    log.isOpen = breakBytes === 0;
    if (log.skipped.length > MAX_DAMAGED) {
      this.#assertLog();
      const reason = `is one of more than ${MAX_DAMAGED} damaged lines`;
      assertUndamaged({ skipped: [{ line: this.#number, reason }] });
    }
    this.#number++;
    this.#line = new LineText(this.#maxLength);
  }

  #parse(): SessionLine | string | undefined {
    const { fault, text, bytes } = this.#line;
    if (fault === "encoding") return "is not valid UTF-8";
    if (fault === undefined) return parseLine(text);
    return `is too long to read: it has ${bytes} bytes, from byte ${this.#log.wholeBytes} of ${this.#file} on, and a line that can be read has up to ${this.#maxLength} characters. It stays in the file: to have it back, shorten it with a program that reads in parts`;
  }

  /** A file without a header is still a damaged log if line 1 cannot be read and a later line is one of ours. */
  #assertFirst(parsed: SessionLine | string | undefined): void {
    const isHeader = typeof parsed === "object" && parsed.type === "session";
    const isDamaged = typeof parsed === "string" && !isForeignHeader(this.#line.text);
    if (!(isHeader || isDamaged)) throw createForeignError();
  }

  #assertLog(): void {
    const { hasHeader, lines } = this.#log;
    if (!hasHeader && lines.length === 0) throw createForeignError();
  }
}

/** The text of one line, of which the file is read part by part. */
class LineText {
  readonly #maxLength: number;
  #decoder: TextDecoder | undefined;
  bytes = 0;
  text = "";
  fault: "encoding" | "length" | undefined;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  add(part: Uint8Array, { isLast }: { isLast: boolean }): void {
    this.bytes += part.length;
    // A file may consist of nothing but line breaks.
    if (this.bytes === 0 || this.fault) return;
    // It drops a byte-order mark.
    this.#decoder ??= new TextDecoder("utf-8", { fatal: true });
    try {
      const text = this.#decoder.decode(part, { stream: !isLast });
      if (this.text.length + text.length > this.#maxLength) this.#fail("length");
      else this.text += text;
    } catch {
      this.#fail("encoding");
    }
  }

  #fail(fault: "encoding" | "length"): void {
    this.fault = fault;
    this.text = "";
  }
}

/** Whether line 1 is intact JSON of another program or of a later version. */
function isForeignHeader(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

/** @throws SessionLogError when the only line of a file is not the beginning of a header */
function assertHeaderStart(text: string): void {
  const isBegun = HEADER_START.startsWith(text);
  const isDated = text.startsWith(HEADER_START) && /^\d*$/.test(text.slice(HEADER_START.length));
  if (text === "" || !(isBegun || isDated)) throw createForeignError();
}

function createForeignError(): SessionLogError {
  return new SessionLogError("The file is not a session log: line 1 is not its header");
}
