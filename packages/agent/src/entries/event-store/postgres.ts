/**
 * Keeps the events of runs in PostgreSQL. The client is passed in.
 *
 * @module pi-agent/event-store/postgres
 */

export {
  createPostgresEventStore,
  type PostgresEventStoreOptions,
} from "../../event-store/postgres-event-store.js";
export type { PgClient, PostgresClient, PostgresJsClient } from "../../postgres/sql-client.js";
