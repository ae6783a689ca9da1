/** The parts of an SQLite driver that the store uses, and Node's own driver. */
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
