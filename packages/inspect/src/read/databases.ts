/** Reads the sessions that `sqliteSessions` and `postgresSessions` of `pi-agent` have written. */
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { redactCredentials } from "../record/credentials.js";
import { type Fields, fieldsOf, listOf } from "../record/fields.js";
import type { SessionDatabase, StoredSession } from "./database-shelf.js";

type Row = Readonly<Record<string, unknown>>;

const SESSIONS = "SELECT id, size, updated_at AS updated FROM pi_sessions";

/** @throws an error if Node.js has no `node:sqlite`, or the file contains no sessions */
export function openSqliteDatabase(path: string): SessionDatabase {
  const sqlite = process.getBuiltinModule?.("node:sqlite");
  if (!sqlite)
    throw new Error(
      `An SQLite file needs node:sqlite, which Node.js 22.13 and later have. This is Node.js ${process.versions.node}`,
    );
  const database = new sqlite.DatabaseSync(path, { readOnly: true });
  // Rows are objects by default.
  const all = (sql: string, ...values: (string | number)[]): Row[] => database.prepare(sql).all(...values) as Row[];
  if (all("SELECT name FROM sqlite_master WHERE name = 'pi_session_entries'").length === 0) {
    database.close();
    throw new Error(`${basename(path)} holds no sessions of pi-agent/session/sqlite`);
  }
  return {
    name: basename(path),
    list: async (limit) => all(`${SESSIONS} ORDER BY updated_at DESC, id LIMIT ?`, limit).map(toSession),
    find: async (text, limit) =>
      all(
        `${SESSIONS} WHERE instr(id, ?) > 0 ORDER BY id = ? DESC, updated_at DESC, id LIMIT ?`,
        text,
        text,
        limit,
      ).map(toSession),
    count: async () => Number(all("SELECT count(*) AS sessions FROM pi_sessions")[0]?.["sessions"]),
    read: async (id, after, limit) =>
      all(
        "SELECT position, entry FROM pi_session_entries WHERE session = ? AND position > ? ORDER BY position LIMIT ?",
        id,
        after,
        limit,
      ).map((row) => ({ position: Number(row["position"]), entry: String(row["entry"]) })),
    close: async () => database.close(),
  };
}

function toSession({ id, size, updated }: Fields): StoredSession {
  return { id: String(id), size: Number(size), updatedAt: Number(updated) };
}

/** The methods of a pool of `pg` that the inspector uses. */
export interface PostgresPool {
  query(text: string, values?: string[]): Promise<{ rows: unknown[] }>;
  end(): Promise<void>;
}

/** How to connect to the database. */
export interface PostgresOptions {
  /** The prefix of the names of the tables, optionally after a schema and a dot. Default `pi_`. */
  tablePrefix?: string | undefined;
  /** The folder from which the package `pg` is resolved. Default: the current one. */
  folder?: string | undefined;
  /** Creates the pool. Default: with `pg`. */
  connect?: ((url: string) => Promise<PostgresPool>) | undefined;
}

const EVENTS_ONLY =
  " The database has events of runs (pi-agent/event-store/postgres), which cannot be opened; sessions (pi-agent/session/postgres) can";
const PREFIX = /^(?:[a-z_][a-z0-9_]{0,30}\.)?[a-z_][a-z0-9_]{0,30}$/;

/** @throws an error if `pg` is not installed, the server cannot be reached, or the table of sessions does not exist */
export async function openPostgresDatabase(
  url: string,
  {
    tablePrefix = "pi_",
    folder = process.cwd(),
    connect = (address) => connectWithPg(address, folder),
  }: PostgresOptions = {},
): Promise<SessionDatabase> {
  if (!PREFIX.test(tablePrefix))
    throw new Error(`The table prefix must be a lower-case name, optionally after a schema and a dot: ${tablePrefix}`);
  const pool = await connect(url);
  // All parameters are strings, and the statements cast them.
  const run = async (text: string, ...values: string[]) => listOf((await pool.query(text, values)).rows).map(fieldsOf);
  try {
    const [found] = await run(
      "SELECT to_regclass($1::text)::text AS sessions, to_regclass($2::text)::text AS others",
      ...[`${tablePrefix}session_entries`, `${tablePrefix}event_runs`],
    );
    if (typeof found?.["sessions"] !== "string")
      throw new Error(`There is no table ${tablePrefix}session_entries.${found?.["others"] ? EVENTS_ONLY : ""}`);
  } catch (error) {
    await pool.end().catch(() => {});
    throw new Error(`The database cannot be read: ${redactCredentials(error instanceof Error ? error.message : "")}`);
  }
  const sessions = `SELECT id, size::text AS size, (extract(epoch FROM updated_at) * 1000)::float8::text AS updated
    FROM ${tablePrefix}sessions`;
  return {
    name: nameOf(url),
    list: async (limit) => {
      const rows = await run(`${sessions} ORDER BY updated_at DESC, id LIMIT $1::text::bigint`, String(limit));
      return rows.map(toSession);
    },
    find: async (text, limit) => {
      const rows = await run(
        `${sessions} WHERE strpos(id, $1::text) > 0
        ORDER BY (id = $1::text) DESC, updated_at DESC, id LIMIT $2::text::bigint`,
        text,
        String(limit),
      );
      return rows.map(toSession);
    },
    count: async () => {
      const [row] = await run(`SELECT count(*)::text AS sessions FROM ${tablePrefix}sessions`);
      return Number(row?.["sessions"]);
    },
    read: async (id, after, limit) => {
      const rows = await run(
        // The table name is needed: `position` alone is the text of the same name, which would sort 10 before 9.
        `SELECT entries.position::text AS position, entry FROM ${tablePrefix}session_entries AS entries
        WHERE session = $1::text AND entries.position > $2::text::bigint ORDER BY entries.position
        LIMIT $3::text::bigint`,
        id,
        String(after),
        String(limit),
      );
      return rows.map(({ position, entry }) => ({ position: Number(position), entry: String(entry) }));
    },
    close: () => pool.end(),
  };
}

/**
 * The name of the database. Not parsed as a URL, because `pg` also accepts addresses without a host, which are not
 * URLs.
 */
function nameOf(url: string): string {
  return /^\w+:\/\/[^/?#]*\/([^/?#]+)/.exec(url)?.[1] ?? "postgres";
}

/** Resolves `pg` from the application's folder, because the inspector may be installed elsewhere. */
async function connectWithPg(url: string, folder: string): Promise<PostgresPool> {
  let found: string;
  try {
    found = createRequire(join(folder, "pi-inspect.js")).resolve("pg");
  } catch {
    throw new Error("pi-inspect reads PostgreSQL with the package pg. Install it in this folder: npm install pg");
  }
  const loaded = fieldsOf(await import(pathToFileURL(found).href));
  const { Pool } = fieldsOf(loaded["default"] ?? loaded);
  // `pg` exports a class of this type.
  const Constructor = Pool as new (
    options: object,
  ) => PostgresPool & { on(event: "error", listener: () => void): void };
  const pool = new Constructor({ application_name: "pi-inspect", connectionString: url, max: 1 });
  // Without a listener, an idle connection that breaks would end the process. The next query opens another one.
  pool.on("error", () => {});
  return pool;
}
