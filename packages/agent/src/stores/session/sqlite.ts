/**
 * Sessions in an SQLite file. For Node 22.13 or later, and for others with a driver of their own.
 *
 * @module pi-agent/session/sqlite
 */

export type { SqliteDatabase, SqliteStatement } from "./sqlite-driver.js";
export { type SqliteSessionOptions, sqliteSessions } from "./sqlite-sessions.js";
