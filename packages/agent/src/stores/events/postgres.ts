/**
 * Keeps the events of runs in PostgreSQL. The client is passed in.
 *
 * @module pi-agent/event-store/postgres
 */

export type { PgClient, PostgresClient, PostgresJsClient } from "../sql-client.js";
export {
  createPostgresEventStore,
  type PostgresEventStoreOptions,
} from "./postgres-event-store.js";
