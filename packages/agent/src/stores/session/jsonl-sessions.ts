/** Stores sessions as files: one log per session, in the format of `createSessionLog`. */
import { randomUUID } from "node:crypto";
import { link, mkdir, open, readdir, readFile, stat, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf } from "pi-ai/file-lock";
import { lockFile } from "./line-file.js";
import { openLogFile } from "./log-file.js";
import { parseLog } from "./session-lines.js";
import {
  createSessionStore,
  type SessionBackend,
  type SessionStore,
  type SessionSummary,
  summarize,
} from "./session-store.js";

/** Options of {@link jsonlSessions}. */
export interface JsonlSessionOptions {
  /** Wait after each line until it is on the disk, so that it survives a crash of the machine too. Default false. */
  fsync?: boolean;
}

const EXTENSION = ".jsonl";
/** The maximum length of a header, in bytes. */
const HEADER_BYTES = 4096;

/**
 * Stores sessions in a folder, which is created when it is first needed. Each file, `<id>.jsonl`, is a log as
 * `createSessionLog` writes it. In its name `~a` stands for `A`, because some file systems ignore case.
 *
 * @example
 * const sessions = jsonlSessions("./sessions");
 * const { messages = [] } = (await sessions.load("chat-1")) ?? {};
 * const log = await sessions.log("chat-1");
 * const agent = new Agent({ initialState: { model, messages }, middleware: [log] });
 */
export function jsonlSessions(folder: string | URL, { fsync = false }: JsonlSessionOptions = {}): SessionStore {
  return createSessionStore(new FolderBackend(typeof folder === "string" ? folder : fileURLToPath(folder), fsync));
}

class FolderBackend implements SessionBackend {
  readonly #folder: string;
  readonly #fsync: boolean;

  constructor(folder: string, fsync: boolean) {
    this.#folder = folder;
    this.#fsync = fsync;
  }

  async open(id: string, { strict }: { strict: boolean }): ReturnType<SessionBackend["open"]> {
    await this.#createFolder();
    return openLogFile(this.#pathOf(id), { fsync: this.#fsync, strict });
  }

  async read(id: string): ReturnType<SessionBackend["read"]> {
    const bytes = await readFile(this.#pathOf(id)).catch(ignoreMissing);
    return bytes && parseLog(bytes);
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
    await writeFile(draft, lines.map((line) => `${line}\n`).join(""), { mode: 0o600, flush: this.#fsync });
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
    if ((await stat(path).catch(ignoreMissing)) === undefined) return;
    const unlock = await lockFile(path);
    await unlink(path).catch(ignoreMissing).finally(unlock);
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

  /** Skips a file that was deleted after the folder was read. */
  async #date(name: string): Promise<{ id: string; updatedAt: number } | undefined> {
    const stats = await stat(join(this.#folder, name)).catch(ignoreMissing);
    return stats && { id: decodeName(name.slice(0, -EXTENSION.length)), updatedAt: stats.mtimeMs };
  }

  async #readHeader(id: string): Promise<string | undefined> {
    const handle = await open(this.#pathOf(id), "r").catch(ignoreMissing);
    if (!handle) return undefined;
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
      return buffer.toString("utf8", 0, bytesRead).split("\n", 1)[0];
    } finally {
      await handle.close();
    }
  }
}

function decodeName(name: string): string {
  return name.replaceAll(/~([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}
