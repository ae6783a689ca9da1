/** Reads lines of JSON, which may be damaged, from a text or from a file that grows. */

import { type FileHandle, open, stat } from "node:fs/promises";
import { type Fields, fieldsOf } from "../record/fields.js";

/** A line of a file, or why it could not be read. */
export interface ReadLine {
  /** From 1. */
  number: number;
  fields: Fields;
  problem?: string;
  /** Where to read the line again: the position of its first byte in a file, or of its entry in a database. */
  place?: number;
  /** Its length in bytes or characters. */
  size?: number;
}

/** Reads the lines of a text, without blank ones. */
export function readLines(text: string): ReadLine[] {
  return text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .flatMap((line, index): ReadLine[] => (line.trim() === "" ? [] : [readLine(line, index + 1)]));
}

/** @param line must not be blank */
export function readLine(line: string, number: number): ReadLine {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return { number, fields: fieldsOf(value) };
  } catch {
    // Reported below, like a line that is valid JSON but not an object.
  }
  return { number, fields: {}, problem: `Line ${number} cannot be read: ${line.slice(0, 80)}` };
}

const CHUNK_BYTES = 1024 * 1024;
/** The most bytes of a line. A longer one is reported as unreadable. */
const MAX_LINE = 256 * 1024 * 1024;
/** Bytes that are compared to notice that the content of a file was replaced. */
const LAST_BYTES = 256;
const NEWLINE = 0x0a;
const TOO_LONG = Buffer.from("(a line that is too long)");

/** The changes of the file since the last read. */
export interface Tail {
  /** Whether the file was replaced or truncated, so that the earlier lines are gone. */
  restarted: boolean;
  /** The new lines, in chunks. Must be read to the end before the next call of {@link LineTail.read}. */
  lines: AsyncIterable<ReadLine[]>;
  /** When the file was written last, in Unix milliseconds. */
  writtenAt: number;
}

export class LineTail {
  readonly #path: string;
  #inode: number | undefined;
  #offset = 0;
  /** The last bytes before the offset. If the file has others there, its content was replaced. */
  #last: Buffer = Buffer.alloc(0);
  #changedAt = 0;
  readonly #splitter = new LineSplitter();

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws the error of the file system */
  async read(): Promise<Tail> {
    const { size, ino, mtimeMs } = await stat(this.#path);
    const isKnown = this.#inode !== undefined;
    const isChanged = size !== this.#offset || mtimeMs !== this.#changedAt;
    const restarted =
      isKnown && (this.#inode !== ino || size < this.#offset || (isChanged && !(await this.#isContinued())));
    this.#changedAt = mtimeMs;
    if (restarted) {
      this.#offset = 0;
      this.#last = Buffer.alloc(0);
      this.#splitter.restart();
    }
    this.#inode = ino;
    return { restarted, lines: this.#readOn(size), writtenAt: mtimeMs };
  }

  /** Takes the last line if it is incomplete, because its writer died. It is not returned again. */
  takeTorn(): ReadLine | undefined {
    return this.#splitter.takeTorn();
  }

  /**
   * Reads lines again, from the first byte of one to the first byte of another one. Nothing if the file is another one.
   */
  async *readAgain(from: number, number: number, to: number = this.#offset): AsyncGenerator<ReadLine> {
    const file = await open(this.#path, "r");
    try {
      const { ino, size } = await file.stat();
      if (ino !== this.#inode || size < to) return;
      const splitter = new LineSplitter(from, number);
      for await (const bytes of readBytes(file, from, to)) yield* splitter.take(bytes);
      const last = splitter.takeTorn();
      if (last) yield last;
    } finally {
      await file.close();
    }
  }

  async #isContinued(): Promise<boolean> {
    const file = await open(this.#path, "r");
    try {
      const { length } = this.#last;
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, this.#offset - length);
      return buffer.equals(this.#last);
    } finally {
      await file.close();
    }
  }

  async *#readOn(size: number): AsyncGenerator<ReadLine[]> {
    if (size <= this.#offset) return;
    const file = await open(this.#path, "r");
    try {
      for await (const bytes of readBytes(file, this.#offset)) {
        this.#offset += bytes.length;
        this.#last = Buffer.concat([this.#last, bytes.subarray(-LAST_BYTES)]).subarray(-LAST_BYTES);
        yield this.#splitter.take(bytes);
      }
    } finally {
      await file.close();
    }
    const whole = this.#splitter.takeWholeRest();
    if (whole) yield [whole];
  }
}

/** Yields the bytes of a file, by default to its end. All chunks use the same buffer. */
async function* readBytes(
  file: FileHandle,
  from: number,
  to: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, to - from));
  for (let offset = from; offset < to; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, to - offset), offset);
    if (bytesRead === 0) return;
    offset += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Splits the bytes of a file into lines. */
class LineSplitter {
  /** The pieces of a line whose end has not been read. */
  #rest: Buffer[] = [];
  #restLength = 0;
  /** The position of the next line's first byte in the file. */
  #place: number;
  /** The number of the next line. */
  #number: number;

  constructor(place = 0, number = 1) {
    this.#place = place;
    this.#number = number;
  }

  restart(): void {
    this.#place = 0;
    this.#number = 1;
    this.#clearRest();
  }

  /** @param bytes copied if they are kept, because their buffer is used again */
  take(bytes: Buffer): ReadLine[] {
    const lines: ReadLine[] = [];
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(NEWLINE, start);
      if (end === -1) break;
      const line = this.#endLine(bytes.subarray(start, end));
      if (line) lines.push(line);
      start = end + 1;
    }
    this.#restLength += bytes.length - start;
    if (this.#restLength > MAX_LINE) this.#rest = [TOO_LONG];
    else if (start < bytes.length) this.#rest.push(Buffer.from(bytes.subarray(start)));
    return lines;
  }

  takeTorn(): ReadLine | undefined {
    const text = this.#textOfRest();
    if (text.trim() === "") return undefined;
    return this.#takeRest(readLine(text, this.#number));
  }

  /** Takes a last line that has no line break but is valid JSON, and so is complete. */
  takeWholeRest(): ReadLine | undefined {
    const text = this.#textOfRest();
    if (text.trim() === "") return undefined;
    const line = readLine(text, this.#number);
    return line.problem === undefined ? this.#takeRest(line) : undefined;
  }

  #takeRest(line: ReadLine): ReadLine {
    const size = this.#restLength;
    const place = this.#place;
    this.#place += size;
    this.#clearRest();
    return { ...line, place, size };
  }

  #endLine(end: Buffer): ReadLine | undefined {
    const size = this.#restLength + end.length + 1;
    const [place, number] = [this.#place, this.#number];
    const text = this.#rest.length === 0 ? textOf(end) : textOf(Buffer.concat([...this.#rest, end]));
    this.#clearRest();
    this.#place += size;
    this.#number++;
    // Blank lines are left out, such as the late line break of a last line that was already taken.
    return text.trim() === "" ? undefined : { ...readLine(text, number), place, size };
  }

  #textOfRest(): string {
    return textOf(Buffer.concat(this.#rest));
  }

  #clearRest(): void {
    this.#rest = [];
    this.#restLength = 0;
  }
}

function textOf(bytes: Buffer): string {
  return bytes.toString().replace(/^\uFEFF/, "");
}
