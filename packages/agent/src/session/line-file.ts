/** Appends lines to a file, each whole or not at all. */
import type { FileHandle } from "node:fs/promises";

export interface LineFileOptions {
  /** The length of the file in bytes. */
  size: number;
  /** Whether its last line has no line break. */
  isOpen: boolean;
  /** Wait until the lines are on the disk. */
  fsync: boolean;
}

export class LineFile {
  readonly #handle: FileHandle;
  readonly #fsync: boolean;
  #size: number;
  #isOpen: boolean;

  constructor(handle: FileHandle, { size, isOpen, fsync }: LineFileOptions) {
    this.#handle = handle;
    this.#size = size;
    this.#isOpen = isOpen;
    this.#fsync = fsync;
  }

  async write(lines: readonly string[], progress: { written: number }): Promise<void> {
    for (const line of lines) {
      await this.#writeLine(`${line}\n`);
      progress.written++;
    }
    if (this.#fsync) await this.#handle.datasync();
  }

  async #writeLine(line: string): Promise<void> {
    const bytes = Buffer.from(this.#isOpen ? `\n${line}` : line);
    let written = 0;
    try {
      while (written < bytes.length) {
        const { bytesWritten } = await this.#handle.write(bytes, written);
        if (bytesWritten === 0) throw new Error("Nothing could be written to the session log");
        written += bytesWritten;
      }
    } catch (error) {
      if (written > 0) await this.#removePart(written);
      throw error;
    }
    this.#size += written;
    this.#isOpen = false;
  }

  /** The start of a line must not be glued to the next one. */
  async #removePart(written: number): Promise<void> {
    try {
      await this.#handle.truncate(this.#size);
    } catch {
      // The part stays as a damaged line of its own, which the reader skips.
      this.#size += written;
      this.#isOpen = true;
    }
  }
}
