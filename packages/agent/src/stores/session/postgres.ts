/**
 * Sessions in PostgreSQL, for any number of machines. The client is passed in.
 *
 * @module pi-agent/session/postgres
 */

export type { PgClient, PostgresClient, PostgresJsClient } from "../sql-client.js";
export { type PostgresSessionOptions, postgresSessions } from "./postgres-sessions.js";
