/**
 * Sessions in an SQLite file. For Node 22.13 or later, and for others with a driver of their own.
 *
 * @module pi-agent/session/sqlite
 */

import { lstatSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { threadId } from "node:worker_threads";
import { type Complete, formatThrownValue } from "pi-ai/call";
import { codeOf, createOwner, describeOwner, isAlive, type LockOwner, parseOwner, releaseOwner } from "pi-ai/file-lock";
import { checkOptions, mustBeFlag, mustBeWait, throwWrong } from "../../checks.js";
import { LineQueue, type OpenSession } from "./open-session.js";
import { createClosedError, parseEntries, type SessionLines, SessionLogError } from "./session-lines.js";
import {
  createSessionStore,
  type ListOptions,
  type OpenOptions,
  type SessionBackend,
  type SessionStore,
  type SessionSummary,
  summarize,
} from "./session-store.js";

/** Options of {@link sqliteSessions}. */
export interface SqliteSessionOptions {
  /** Wait after each message until it is on the disk, so that it survives a crash of the machine too. Default false. */
  fsync?: boolean | undefined;
  /** Milliseconds to wait for another process that is writing to the file. Default 5,000. */
  busyTimeoutMs?: number | undefined;
}

/**
 * Stores sessions in an SQLite file, which may also contain tables of your own; these are `pi_sessions`,
 * `pi_session_entries` and `pi_migrations`. Many processes of one machine can use the file. A session whose writer has
 * ended can be opened again at once. A database that is passed in keeps its settings, and stays open.
 *
 * A new file is readable by its owner only (mode 600), and so are those that SQLite puts beside it. Links are not followed:
 * the path names a regular file or none. `:memory:` and addresses (`file:…?…`) are SQLite's own.
 *
 * @throws SessionLogError if Node has no `node:sqlite` (before 22.13), if the path names no regular file or none that SQLite can
 * open, or if a later version wrote the tables
 *
 * @example
 * const sessions = sqliteSessions("chats.db");
 * const session = await sessions.open("chat-1");
 * const agent = new Agent({ initialState: { model, messages: session.messages }, middleware: [session] });
 */
export function sqliteSessions(
  database: string | URL | SqliteDatabase,
  options: SqliteSessionOptions = {},
): SessionStore {
  checkOptions(options, { fsync: mustBeFlag, busyTimeoutMs: mustBeWait });
  const { fsync = false, busyTimeoutMs = 5000 } = options;
  const isFile = typeof database === "string" || database instanceof URL;
  if (!isFile && typeof Object(database).exec !== "function")
    throwWrong("The database of sqliteSessions", 'a path such as "chats.db", or an open database', database);
  try {
    const { opened, isThere } = isFile ? openSqlite(database) : { opened: database };
    if (isFile) {
      opened.exec(`PRAGMA busy_timeout = ${Math.trunc(busyTimeoutMs)}`);
      opened.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${fsync ? "FULL" : "NORMAL"}`);
    }
    migrateSqlite(opened);
    return createSessionStore(new SqliteBackend(opened, isThere));
  } catch (error) {
    // SQLite's texts do not name the file: "unable to open database file", "file is not a database".
    if (!isFile || codeOf(error) !== "ERR_SQLITE_ERROR") throw error;
    throw new SessionLogError(`${database} cannot be opened: ${formatThrownValue(error)}`, { cause: error });
  }
}

type Value = string | number | null;

class SqliteBackend implements SessionBackend {
  readonly #database: SqliteDatabase;
  /** Whether its file is there. Undefined for a database that was passed in. */
  readonly #isThere: (() => boolean) | undefined;
  #isClosed = false;
  /** Kept while it is read: Node 22.13 finalizes a statement that only its iterator knows. */
  #entries: SqliteStatement | undefined;
  /** Releases the sessions that are open. */
  readonly #releases = new Set<() => void>();

  constructor(database: SqliteDatabase, isThere: (() => boolean) | undefined) {
    this.#database = database;
    this.#isThere = isThere;
  }

  async open(id: string, { takeOver, loss }: OpenOptions): Promise<OpenSession> {
    const owner = await createOwner(threadId);
    let size: number;
    try {
      const dead = await this.#findDead(id);
      size = this.#transact(() => this.#lock(id, owner, { dead, takeOver }));
    } catch (error) {
      releaseOwner(owner);
      throw error;
    }
    const release = (): void => {
      this.#releases.delete(release);
      if (!releaseOwner(owner)) return;
      this.#run("UPDATE pi_sessions SET owner = NULL WHERE id = ? AND owner = ?", id, JSON.stringify(owner));
    };
    this.#releases.add(release);
    const queue = new LineQueue(async (lines, progress) => {
      if (this.#isClosed) throw createClosedError();
      this.#transact(() => this.#add(id, owner, lines));
      progress.written = lines.length;
    }, loss);
    return {
      loss,
      isNew: size === 0,
      read: async () => this.#read(id),
      append: (lines) => queue.append(lines),
      flush: () => queue.flush(),
      release: async () => release(),
    };
  }

  async read(id: string): Promise<SessionLines | undefined> {
    return this.#all("SELECT id FROM pi_sessions WHERE id = ?", id).length > 0 ? this.#read(id) : undefined;
  }

  async list({ limit, offset }: Complete<ListOptions>): Promise<SessionSummary[]> {
    const sql = `SELECT id, updated_at, (SELECT entry FROM pi_session_entries WHERE session = id AND position = 1) AS header
      FROM pi_sessions ORDER BY updated_at DESC, id LIMIT ? OFFSET ?`;
    return this.#all(sql, limit, offset).map(({ id, updated_at: updatedAt, header }) =>
      summarize(String(id), typeof header === "string" ? header : undefined, Number(updatedAt)),
    );
  }

  async create(id: string, lines: readonly string[]): Promise<boolean> {
    return this.#transact(() => {
      const sql = "INSERT INTO pi_sessions (id, size, updated_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
      if (this.#run(sql, id, lines.length, Date.now()) === 0) return false;
      this.#insert(id, 0, lines);
      return true;
    });
  }

  async delete(id: string): Promise<void> {
    const dead = await this.#findDead(id);
    this.#transact(() => {
      assertFree(id, this.#ownerOf(id), dead);
      this.#run("DELETE FROM pi_session_entries WHERE session = ?", id);
      this.#run("DELETE FROM pi_sessions WHERE id = ?", id);
    });
  }

  async close(): Promise<void> {
    if (!this.#isThere || this.#isClosed) return;
    for (const release of this.#releases) release();
    this.#isClosed = true;
    this.#database.close();
  }

  /** Makes this thread the writer, and returns how many entries there are. */
  #lock(id: string, owner: LockOwner, { dead, takeOver }: { dead: unknown; takeOver: boolean }): number {
    if (!takeOver) assertFree(id, this.#ownerOf(id), dead);
    const text = JSON.stringify(owner);
    const sql = `INSERT INTO pi_sessions (id, size, updated_at, owner) VALUES (?, 0, ?, ?)
      ON CONFLICT (id) DO UPDATE SET owner = excluded.owner`;
    this.#run(sql, id, Date.now(), text);
    return Number(this.#all("SELECT size FROM pi_sessions WHERE id = ?", id)[0]?.["size"]);
  }

  #ownerOf(id: string): unknown {
    return this.#all("SELECT owner FROM pi_sessions WHERE id = ?", id)[0]?.["owner"];
  }

  /** The owner of a session if its process has ended. A transaction cannot wait, so it only compares with this one. */
  async #findDead(id: string): Promise<unknown> {
    const text = this.#ownerOf(id);
    const owner = typeof text === "string" ? parseOwner(text) : undefined;
    return owner && !(await isAlive(owner, threadId)) ? text : undefined;
  }

  #add(id: string, owner: LockOwner, lines: readonly string[]): void {
    const sql = "UPDATE pi_sessions SET size = size + ?, updated_at = ? WHERE id = ? AND owner = ?";
    if (this.#run(sql, lines.length, Date.now(), id, JSON.stringify(owner)) === 0)
      throw new SessionLogError(`Another writer has taken the session ${id} over`);
    const size = Number(this.#all("SELECT size FROM pi_sessions WHERE id = ?", id)[0]?.["size"]);
    this.#insert(id, size - lines.length, lines);
  }

  #insert(id: string, size: number, lines: readonly string[]): void {
    const sql = "INSERT INTO pi_session_entries (session, position, entry) VALUES (?, ?, ?)";
    const statement = this.#database.prepare(sql);
    for (const [index, line] of lines.entries()) statement.run(id, size + index + 1, line);
  }

  #read(id: string): SessionLines {
    const sql = "SELECT entry FROM pi_session_entries WHERE session = ? ORDER BY position";
    this.#entries ??= this.#database.prepare(sql);
    return parseEntries(textsOf(this.#entries.iterate?.(id) ?? this.#entries.all(id)));
  }

  #run(sql: string, ...values: Value[]): number {
    return Number(this.#database.prepare(sql).run(...values).changes);
  }

  #all(sql: string, ...values: Value[]): Record<string, unknown>[] {
    // Every driver returns rows as objects by default.
    return this.#database.prepare(sql).all(...values) as Record<string, unknown>[];
  }

  #transact<TResult>(work: () => TResult): TResult {
    if (this.#isThere?.() === false)
      throw new SessionLogError("The file of the database was removed, so nothing more would be stored. Open it again");
    return transact(this.#database, work);
  }
}

/** Runs a transaction. It takes the write lock at its start, because a later upgrade of the lock can fail as busy. */
function transact<TResult>(database: SqliteDatabase, work: () => TResult): TResult {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full. The caller needs the cause.
    }
    throw error;
  }
}

function* textsOf(rows: Iterable<unknown>): Iterable<string> {
  for (const row of rows) yield String((row as Record<string, unknown>)["entry"]);
}

function assertFree(id: string, text: unknown, dead: unknown): void {
  const owner = typeof text === "string" && text !== dead ? parseOwner(text) : undefined;
  if (owner) throw new SessionLogError(`The session ${id} is in use by ${describeOwner(owner)}. Close it there first`);
}

// An SQLite database: the parts of a driver that the store uses, Node's own driver, and the migrations of the tables.

/** A prepared statement. */
export interface SqliteStatement {
  /** Executes it; `changes` is the number of rows that it changed. */
  run(...values: (string | number | null)[]): { changes: number | bigint };
  /** Returns its rows. */
  all(...values: (string | number | null)[]): unknown[];
  /** Returns them one after the other. Without it, all entries of a session that is read are in memory beside its messages. */
  iterate?(...values: (string | number | null)[]): Iterable<unknown>;
}

/** An open database: `DatabaseSync` of `node:sqlite`, a database of `better-sqlite3`, or `Database` of `bun:sqlite`. */
export interface SqliteDatabase {
  /** Executes statements without parameters. */
  exec(sql: string): unknown;
  /** Prepares one statement. */
  prepare(sql: string): SqliteStatement;
  /** Closes the database. */
  close(): unknown;
}

type Driver = { DatabaseSync: new (path: string) => SqliteDatabase };

/** @throws SessionLogError if Node has no `node:sqlite`, or for a path of something else than a regular file */
function openSqlite(file: string | URL): { opened: SqliteDatabase; isThere: () => boolean } {
  const { DatabaseSync } = loadDriver();
  const path = typeof file === "string" ? file : fileURLToPath(file);
  if (SQLITES_OWN.test(path)) return { opened: new DatabaseSync(path), isThere: () => true };
  createPrivateFile(path);
  for (const suffix of ["", "-wal", "-shm", "-journal"]) assertRegular(`${path}${suffix}`);
  // The process may change its folder.
  const absolute = resolve(path);
  const find = (): number | undefined => lstatSync(absolute, { throwIfNoEntry: false })?.ino;
  const inode = find();
  // A file that was removed takes writes until it is closed, and then they are lost.
  return { opened: new DatabaseSync(path), isThere: () => find() === inode };
}

/** Databases in memory and in a temporary file, and addresses (sqlite.org, "Uniform Resource Identifiers", 2026-11). */
const SQLITES_OWN = /^(?:$|:memory:$|file:)/;

/**
 * Creates the file that is missing, because SQLite would create it for all to read; it gives the files beside it the same
 * mode. An existing file is never opened here: to close it would release the locks of other connections of this process
 * (sqlite.org, "How To Corrupt An SQLite Database File", 2.2). Does not follow a link.
 */
function createPrivateFile(path: string): void {
  try {
    writeFileSync(path, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

function assertRegular(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats && !stats.isFile()) throw new SessionLogError(`${path} is not a regular file`);
}

function loadDriver(): Driver {
  // An import would fail when this module is loaded, with a text that does not name the required version.
  const driver = process.getBuiltinModule?.("node:sqlite");
  if (driver) return driver;
  throw new SessionLogError(
    `pi-agent/session/sqlite needs node:sqlite, which Node.js 22.13 and later have. This is Node.js ${process.versions.node}. Pass an open database of another driver instead`,
  );
}

/** The statements of each migration. Only ever append to the list. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE pi_sessions (
    id TEXT PRIMARY KEY, size INTEGER NOT NULL, updated_at INTEGER NOT NULL, owner TEXT
  ) WITHOUT ROWID;
  CREATE INDEX pi_sessions_by_time ON pi_sessions (updated_at DESC, id);
  CREATE TABLE pi_session_entries (
    session TEXT NOT NULL, position INTEGER NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (session, position)
  )`,
];

/**
 * Compares the versions in a transaction, because several processes may open the file for the first time.
 *
 * @throws SessionLogError when a later version wrote the tables
 */
export function migrateSqlite(database: SqliteDatabase, migrations: readonly string[] = MIGRATIONS): void {
  transact(database, () => {
    database.exec("CREATE TABLE IF NOT EXISTS pi_migrations (component TEXT PRIMARY KEY, version INTEGER NOT NULL)");
    const version = readVersion(database);
    if (version > migrations.length) {
      throw new SessionLogError(
        `The tables of sessions have version ${version}, which a later pi-agent wrote. This one knows version ${migrations.length}`,
      );
    }
    for (const sql of migrations.slice(version)) database.exec(sql);
    const sql =
      "INSERT INTO pi_migrations VALUES ('sessions', ?) ON CONFLICT (component) DO UPDATE SET version = excluded.version";
    database.prepare(sql).run(migrations.length);
  });
}

function readVersion(database: SqliteDatabase): number {
  const [row] = database.prepare("SELECT version FROM pi_migrations WHERE component = 'sessions'").all();
  return typeof row === "object" && row !== null && "version" in row ? Number(row.version) : 0;
}
