/**
 * Opens files in folders into which others may have put something else: a link to a file of another user, a pipe that never
 * answers, a folder. For Node.js, Bun and Deno.
 */
import { isRecord } from "./is-object.js";

/** An open file: a `FileHandle` of Node. Published types name none of Node's modules. */
export interface OpenFile {
  /** Closes it. */
  close(): Promise<void>;
  /** Reads bytes from a position into a buffer. */
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ buffer: Uint8Array; bytesRead: number }>;
  /** Returns what the file system knows of it. */
  stat(): Promise<{ ino: number; mtimeMs: number; isFile(): boolean }>;
}

/** The `code` of the error for anything but a regular file. */
export const NOT_A_FILE = "NOT_A_FILE";

/** The errors of `open` for links (on Linux and macOS, on FreeBSD), of folders, and of sockets. */
const OTHER_KINDS: readonly unknown[] = ["ELOOP", "EMLINK", "EISDIR", "ENXIO"];

/**
 * Opens a regular file: to read it, or to read and append to it, which creates it with mode 600. Never follows a link in the
 * last part of the path, and never waits for the other end of a pipe. Windows has no flags for that: there a link is
 * noticed before the file is opened.
 *
 * @throws Error with the code `NOT_A_FILE` for anything but a regular file; the errors of the file system
 */
export async function openRegularFile(path: string | URL, mode: "read" | "append"): Promise<OpenFile> {
  const [{ constants }, { lstat, open }] = await Promise.all([import("node:fs"), import("node:fs/promises")]);
  const { O_APPEND, O_CREAT, O_RDONLY, O_RDWR } = constants;
  // The types know the platform of the types, not the one that runs.
  const { O_NOFOLLOW, O_NONBLOCK = 0 }: { O_NOFOLLOW?: number; O_NONBLOCK?: number } = constants;
  if (O_NOFOLLOW === undefined) {
    const stats = await lstat(path).catch(ignoreMissing);
    if (stats && !stats.isFile()) throw notAFile(path);
  }
  const flags = mode === "read" ? O_RDONLY : O_RDWR | O_APPEND | O_CREAT;
  const handle = await open(path, flags | (O_NOFOLLOW ?? 0) | O_NONBLOCK, 0o600).catch((error: unknown) => {
    throw OTHER_KINDS.includes(codeOf(error)) ? notAFile(path) : error;
  });
  try {
    if (!(await handle.stat()).isFile()) throw notAFile(path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function notAFile(path: string | URL): Error {
  return Object.assign(new Error(`${path} is not a regular file`), { code: NOT_A_FILE });
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): unknown {
  return isRecord(error) ? error["code"] : undefined;
}

/** A handler for rejections: resolves with undefined if the file is missing, and rethrows other errors. */
export function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}
