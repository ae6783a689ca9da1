/** A file of lines that one writer appends to. */
import { type FileHandle, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { threadId } from "node:worker_threads";
import { codeOf, describeOwner, type HeldLock, NOT_A_FILE, openRegularFile, tryLockFile } from "pi-ai/file-lock";
import { SessionLogError } from "./session-lines.js";

/**
 * Opens a file of lines, to read it or to append to it. A new file is readable by its owner only (mode 600).
 *
 * @throws SessionLogError for a link, a folder, a pipe or a device, which stays as it is; the errors of the file system
 */
export async function openLineFile(file: string | URL, mode: "read" | "append"): Promise<FileHandle> {
  try {
    // It is one of Node; the types of the other package do not name Node.
    return (await openRegularFile(file, mode)) as FileHandle;
  } catch (error) {
    throw codeOf(error) === NOT_A_FILE ? new SessionLogError(`${file} is not a regular file`) : error;
  }
}

/** Reads a whole file of lines. */
export async function readLineFile(file: string | URL): Promise<Buffer> {
  const handle = await openLineFile(file, "read");
  return handle.readFile().finally(() => handle.close());
}

/** The path of a file whose folder may be reached by several paths. Does not follow a link in its place. */
export async function findRealPath(file: string | URL): Promise<string> {
  const given = typeof file === "string" ? file : fileURLToPath(file);
  return join(await realpath(dirname(given)), basename(given));
}

/**
 * Locks a file for one writer, with a lock file next to it. The lock of a process that no longer runs on this machine is
 * taken over.
 *
 * @throws SessionLogError when another writer holds the lock
 */
export async function lockFile(file: string): Promise<HeldLock> {
  const path = `${file}.lock`;
  const found = await tryLockFile(path, { threadId });
  if ("release" in found) return found;
  throw new SessionLogError(
    `The session log ${file} is in use by ${describeOwner(found)}. Close it there first, or delete ${path} if that process has ended`,
  );
}

export interface LineFileOptions {
  /** The length of the file in bytes. */
  size: number;
  /** Whether its last line has no line break. */
  isOpen: boolean;
  /** Wait until the lines are on the disk. */
  fsync: boolean;
}

/** Appends lines to a file, each whole or not at all. */
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

  /**
   * Goes on after what another program, such as an editor, has appended.
   *
   * @returns false if the file is shorter than it was
   */
  follow(size: number): boolean {
    if (size < this.#size) return false;
    if (size > this.#size) this.#isOpen = true;
    this.#size = size;
    return true;
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
