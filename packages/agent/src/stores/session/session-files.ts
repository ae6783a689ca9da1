/** Sessions in files: opens and loads one, and keeps one file for each session of a store. */

import { randomUUID } from "node:crypto";
import { link, lstat, mkdir, readdir, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf, type HeldLock, ignoreMissing } from "pi-ai/file-lock";
import { checkOptions, mustBeFlag, mustBePath } from "../../checks.js";
import { findRealPath, LineFile, lockFile, openLineFile } from "./line-file.js";
import { type LogFile, readLog } from "./log-file.js";
import { LineQueue, type OpenSession, SessionLoss } from "./open-session.js";
import { type LoadedSession, type LoadSessionOptions, restoreSession } from "./restore-session.js";
import { assertUndamaged, SessionLogError } from "./session-lines.js";
import { openLog, type SessionLog } from "./session-log.js";
import {
  createSessionStore,
  LOG,
  type OpenOptions,
  type SessionBackend,
  type SessionStore,
  type SessionSummary,
  summarize,
} from "./session-store.js";
import type { LogOptions } from "./session-writer.js";

/** How a file is written. */
export interface SessionLogOptions extends LogOptions {
  /** Wait after each line until it is on the disk, so that it survives a crash of the machine too. Default false. */
  fsync?: boolean | undefined;
}

/**
 * Opens a log of a conversation, for the `middleware` of an agent or of the functions of the loop: one line for each finished
 * message and for the beginning and end of each run. The run waits for each line, so the file contains each message before the
 * run goes on. A failed write is reported to `onError`; the run goes on, and the lines are written with the next ones, once
 * writing works again.
 *
 * An existing log is continued: see {@link SessionLog}. At the beginning of a run, messages that the conversation has and the log
 * does not are written first, and so is one that replaces what is stored. What a durable run repeats from an earlier
 * process is not written again. A value that JSON cannot represent is replaced, with a note in the line. Agents that
 * `agentTool` runs are not logged; give them logs of their own.
 *
 * A new file is readable by its owner only (mode 600). Links are not followed: the path names a regular file or none. While the
 * log is open, `<file>.lock` keeps other writers away.
 *
 * @example
 * const session = await createSessionLog("chat.jsonl");
 * const agent = new Agent({ initialState: { model, messages: session.messages }, middleware: [session] });
 *
 * @throws SessionLogError when the file is not a session log (it stays as it is) or another writer has it open
 */
export async function createSessionLog(file: string | URL, options: SessionLogOptions = {}): Promise<SessionLog> {
  mustBePath("The file of createSessionLog", file);
  checkOptions(options, { ...LOG, fsync: mustBeFlag });
  const { fsync = false, strict = false } = options;
  return openLog(await openLogFile(file, { fsync, strict, loss: new SessionLoss() }), options);
}

/**
 * Reads a session log. Damaged lines are skipped, tool calls without a result get an error result, results without a call
 * are dropped after damage, and failed responses at the end are removed, so that the conversation can be continued.
 *
 * @throws SessionLogError when the file is not a session log or no regular file, and with `strict` when a line is damaged; the
 * error of the file system when it cannot be read
 */
export async function loadSession(file: string | URL, options: LoadSessionOptions = {}): Promise<LoadedSession> {
  mustBePath("The file of loadSession", file);
  checkOptions(options, { strict: mustBeFlag });
  return restoreSession(await readLogFile(file), options);
}

async function readLogFile(file: string | URL): Promise<LogFile> {
  const handle = await openLineFile(file, "read");
  return readLog(handle, { file }).finally(() => handle.close());
}

/**
 * Locks the file and cuts off a torn last line. From then on the file is only appended to.
 *
 * @throws SessionLogError when the file is not a session log (it stays as it is) or another writer has it open
 */
async function openLogFile(
  file: string | URL,
  { fsync, strict, loss }: { fsync: boolean; strict: boolean; loss: SessionLoss },
): Promise<OpenSession> {
  const handle = await openLineFile(file, "append");
  let lock: HeldLock | undefined;
  try {
    const held = await lockFile(await findRealPath(file));
    lock = held;
    const log = await readLog(handle, { file });
    if (strict) assertUndamaged(log);
    const isNew = log.lines.length === 0;
    if (!(isNew || log.hasHeader)) {
      throw new SessionLogError(
        "Line 1 of the session log is damaged. Load it with loadSession, and log to another file",
      );
    }
    if (log.tornBytes > 0) await handle.truncate(log.wholeBytes);
    const lines = new LineFile(handle, { size: log.wholeBytes, isOpen: log.isOpen, fsync });
    const queue = new LineQueue(async (batch, progress) => {
      if (!(await held.isHeld()))
        throw new SessionLogError(`The lock of the session log ${file} is gone, so another writer may have it`);
      const { nlink, size } = await handle.stat();
      // A file that was removed takes writes until it is closed, and then they are lost.
      if (nlink === 0 || !lines.follow(size)) {
        const change = nlink === 0 ? "removed" : "shortened";
        throw new SessionLogError(
          `The session log ${file} was ${change}, so nothing more would be stored. Open it again`,
        );
      }
      await lines.write(batch, progress);
    }, loss);
    return {
      isNew,
      loss,
      read: async () => log,
      append: (batch) => queue.append(batch),
      flush: () => queue.flush(),
      release: () => handle.close().finally(held.release),
    };
  } catch (error) {
    await handle.close();
    await lock?.release();
    throw error;
  }
}

/** Options of {@link jsonlSessions}. */
export interface JsonlSessionOptions {
  /** Wait after each line until it is on the disk, so that it survives a crash of the machine too. Default false. */
  fsync?: boolean | undefined;
}

const EXTENSION = ".jsonl";
/** The maximum length of a header, in bytes. */
const HEADER_BYTES = 4096;

/**
 * Stores sessions in a folder, which is created when it is first needed. Each file, `<id>.jsonl`, is a log as
 * `createSessionLog` writes it. In its name `~a` stands for `A`, because some file systems ignore case. Links, folders and
 * pipes in the folder are not sessions.
 *
 * @example
 * const sessions = jsonlSessions("./sessions");
 * const session = await sessions.open("chat-1");
 * const agent = new Agent({ initialState: { model, messages: session.messages }, middleware: [session] });
 */
export function jsonlSessions(folder: string | URL, options: JsonlSessionOptions = {}): SessionStore {
  mustBePath("The folder of jsonlSessions", folder);
  checkOptions(options, { fsync: mustBeFlag });
  const { fsync = false } = options;
  return createSessionStore(new FolderBackend(typeof folder === "string" ? folder : fileURLToPath(folder), fsync));
}

class FolderBackend implements SessionBackend {
  readonly #folder: string;
  readonly #fsync: boolean;

  constructor(folder: string, fsync: boolean) {
    this.#folder = folder;
    this.#fsync = fsync;
  }

  async open(id: string, { strict, loss }: OpenOptions): ReturnType<SessionBackend["open"]> {
    await this.#createFolder();
    return openLogFile(this.#pathOf(id), { fsync: this.#fsync, strict, loss });
  }

  async read(id: string): ReturnType<SessionBackend["read"]> {
    return readLogFile(this.#pathOf(id)).catch(ignoreMissing);
  }

  async list({ limit, offset }: { limit: number; offset: number }): Promise<SessionSummary[]> {
    const names = (await readdir(this.#folder).catch(ignoreMissing)) ?? [];
    const found = await Promise.all(names.filter((name) => name.endsWith(EXTENSION)).map((name) => this.#date(name)));
    const files = found.filter((file) => file !== undefined);
    files.sort((one, other) => other.updatedAt - one.updatedAt || (one.id < other.id ? -1 : 1));
    const page = files.slice(offset, offset + limit);
    return Promise.all(page.map(async ({ id, updatedAt }) => summarize(id, await this.#readHeader(id), updatedAt)));
  }

  async create(id: string, lines: readonly string[]): Promise<boolean> {
    await this.#createFolder();
    // Written under another name first, so that a crash leaves no incomplete session.
    const draft = join(this.#folder, `${randomUUID()}.draft`);
    const text = lines.map((line) => `${line}\n`).join("");
    await writeFile(draft, text, { flag: "wx", mode: 0o600, flush: this.#fsync });
    try {
      await link(draft, this.#pathOf(id));
      return true;
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    } finally {
      await unlink(draft);
    }
  }

  async delete(id: string): Promise<void> {
    const path = this.#pathOf(id);
    const stats = await lstat(path).catch(ignoreMissing);
    if (!stats) return;
    if (!stats.isFile()) throw new SessionLogError(`${path} is not a regular file`);
    const { release } = await lockFile(path);
    await unlink(path).catch(ignoreMissing).finally(release);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #pathOf(id: string): string {
    const name = id.replaceAll(/[A-Z]/g, (letter) => `~${letter.toLowerCase()}`);
    return join(this.#folder, `${name}${EXTENSION}`);
  }

  async #createFolder(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Skips folders, links, pipes, and files that were deleted after the folder was read: none of them is a session. */
  async #date(name: string): Promise<{ id: string; updatedAt: number } | undefined> {
    const stats = await lstat(join(this.#folder, name)).catch(() => undefined);
    if (!stats?.isFile()) return undefined;
    return { id: decodeName(name.slice(0, -EXTENSION.length)), updatedAt: stats.mtimeMs };
  }

  /** Undefined for a file that cannot be read: one bad entry must not hide the others. */
  async #readHeader(id: string): Promise<string | undefined> {
    const handle = await openLineFile(this.#pathOf(id), "read").catch(() => undefined);
    if (!handle) return undefined;
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
      return buffer.toString("utf8", 0, bytesRead).split("\n", 1)[0];
    } catch {
      return undefined;
    } finally {
      await handle.close();
    }
  }
}

function decodeName(name: string): string {
  return name.replaceAll(/~([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
