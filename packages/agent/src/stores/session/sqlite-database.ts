/** An SQLite database: the parts of a driver that the store uses, Node's own driver, and the migrations of the tables. */
import { fileURLToPath } from "node:url";
import { SessionLogError } from "./session-lines.js";

/** A prepared statement. */
export interface SqliteStatement {
  /** Executes it; `changes` is the number of rows that it changed. */
  run(...values: (string | number | null)[]): { changes: number | bigint };
  /** Returns its rows. */
  all(...values: (string | number | null)[]): unknown[];
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

/** @throws SessionLogError if Node has no `node:sqlite` */
export function openSqlite(file: string | URL): SqliteDatabase {
  const { DatabaseSync } = loadDriver();
  return new DatabaseSync(typeof file === "string" ? file : fileURLToPath(file));
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
  database.exec("BEGIN IMMEDIATE");
  try {
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
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

function readVersion(database: SqliteDatabase): number {
  const [row] = database.prepare("SELECT version FROM pi_migrations WHERE component = 'sessions'").all();
  return typeof row === "object" && row !== null && "version" in row ? Number(row.version) : 0;
}
