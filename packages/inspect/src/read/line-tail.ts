/** Reads the lines of a file that grows, each once. */
import { open, stat } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { type ReadLine, readLine } from "./read-lines.js";

const CHUNK_BYTES = 1024 * 1024;
/** Characters of one line. A longer one is reported as unreadable. */
const MAX_LINE = 256 * 1024 * 1024;

/** How the file has changed since the last look. */
export interface Tail {
  /** The file is another one, or shorter: everything that was read before is no longer there. */
  restarted: boolean;
  lines: ReadLine[];
  /** When it was written last, as Unix time in milliseconds. */
  writtenAt: number;
}

export class LineTail {
  readonly #path: string;
  #inode: number | undefined;
  #offset = 0;
  #decoder = new StringDecoder("utf8");
  /** The pieces of a line whose end has not been read. */
  #rest: string[] = [];
  #number = 1;
  /** The last line had no line break, and was whole. */
  #tookRest = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws the error of the file system */
  async read(): Promise<Tail> {
    const { size, ino, mtimeMs } = await stat(this.#path);
    const restarted = this.#inode !== undefined && (this.#inode !== ino || size < this.#offset);
    if (restarted) this.#restart();
    this.#inode = ino;
    const lines = size > this.#offset ? await this.#readOn() : [];
    return { restarted, lines, writtenAt: mtimeMs };
  }

  /** A last line that its writer did not end, if there is one. It is not returned again. */
  takeTorn(): ReadLine | undefined {
    const text = this.#rest.join("");
    if (text.trim() === "") return undefined;
    this.#rest = [];
    this.#tookRest = true;
    return readLine(text, this.#number);
  }

  #restart(): void {
    this.#offset = 0;
    this.#number = 1;
    this.#rest = [];
    this.#tookRest = false;
    this.#decoder = new StringDecoder("utf8");
  }

  async #readOn(): Promise<ReadLine[]> {
    const lines: ReadLine[] = [];
    const file = await open(this.#path, "r");
    try {
      const buffer = Buffer.alloc(CHUNK_BYTES);
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, this.#offset);
        if (bytesRead === 0) break;
        this.#offset += bytesRead;
        this.#take(this.#decoder.write(buffer.subarray(0, bytesRead)), lines);
      }
    } finally {
      await file.close();
    }
    this.#takeWholeRest(lines);
    return lines;
  }

  #take(text: string, lines: ReadLine[]): void {
    const [first = "", ...others] = text.split("\n");
    this.#rest.push(first);
    for (const next of others) {
      this.#endLine(lines);
      this.#rest = [next];
    }
    if (this.#rest.reduce((sum, piece) => sum + piece.length, 0) > MAX_LINE) this.#rest = ["(a line that is too long)"];
  }

  #endLine(lines: ReadLine[]): void {
    const text = this.#rest.join("").replace(/^\uFEFF/, "");
    // The line break of a line that was taken without it.
    const isTaken = this.#tookRest && text.trim() === "";
    if (text.trim() !== "") lines.push(readLine(text, this.#number));
    this.#number++;
    if (isTaken) this.#tookRest = false;
  }

  /** A last line that is whole needs no line break. */
  #takeWholeRest(lines: ReadLine[]): void {
    const text = this.#rest.join("").replace(/^\uFEFF/, "");
    if (text.trim() === "") return;
    const line = readLine(text, this.#number);
    if (line.problem !== undefined) return;
    lines.push(line);
    this.#rest = [];
    this.#tookRest = true;
  }
}
