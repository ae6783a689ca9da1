/** Reads the sessions that `sqliteSessions` of `pi-agent/session/sqlite` has written. */
import { basename } from "node:path";
import type { SessionDatabase, StoredSession } from "./database-shelf.js";

type Row = Readonly<Record<string, unknown>>;

const SESSIONS = "SELECT id, size, updated_at FROM pi_sessions";

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

function toSession(row: Row): StoredSession {
  return { id: String(row["id"]), size: Number(row["size"]), updatedAt: Number(row["updated_at"]) };
}
