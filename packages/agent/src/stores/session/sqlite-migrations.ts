/** Migrates the tables in an SQLite file. */
import { SessionLogError } from "./session-lines.js";
import type { SqliteDatabase } from "./sqlite-driver.js";

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
