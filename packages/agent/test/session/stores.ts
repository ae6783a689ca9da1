/** The three kinds of store, as the tests and the child of the crash test open them. */
import pg from "pg";
import { jsonlSessions, type SessionStore } from "pi-agent/session";
import { postgresSessions } from "pi-agent/session/postgres";
import { sqliteSessions } from "pi-agent/session/sqlite";
import postgres from "postgres";

export interface OpenedStore {
  store: SessionStore;
  close(): Promise<void>;
}

/** `place` is a folder, a file, or the folder of a server's socket. */
export const STORES: Readonly<Record<string, (place: string) => OpenedStore>> = {
  jsonl: (place) => closing(jsonlSessions(place)),
  sqlite: (place) => closing(sqliteSessions(`${place}.db`)),
  pg: (place) => {
    const pool = new pg.Pool({ host: place, user: "test", database: "postgres", max: 4 });
    return closing(postgresSessions(pool), () => pool.end());
  },
  "postgres.js": (place) => {
    const sql = postgres({ path: `${place}/.s.PGSQL.5432`, user: "test", database: "postgres", max: 4 });
    return closing(postgresSessions(sql), () => sql.end());
  },
};

function closing(store: SessionStore, end: () => Promise<void> = async () => {}): OpenedStore {
  return { store, close: () => store.close().finally(end) };
}
