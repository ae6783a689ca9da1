/**
 * Keeps the events of runs in PostgreSQL. The client is passed in.
 *
 * @module pi-agent/event-store/postgres
 */
import { checkOptions, mustBeText, mustBeWait } from "../../checks.js";
import { afterMigration, checkTablePrefix, type PostgresClient, type RunSql, toRunSql } from "../postgres-client.js";
import {
  type ClosableEventStore,
  createEventStore,
  type EventBackend,
  type EventPage,
  EventStoreError,
  KEEP_EVENTS,
  PAGE_SIZE,
  RETAIN_MS,
} from "./event-store.js";
import { EVENT_STORE_CHECKS, type EventStoreOptions } from "./memory-event-store.js";
import { PollingWaiters } from "./polling-waiters.js";

export type { PgClient, PostgresClient, PostgresJsClient } from "../postgres-client.js";

/** Options of {@link createPostgresEventStore}. */
export interface PostgresEventStoreOptions extends EventStoreOptions {
  /** The prefix of the names of the tables, optionally with a schema: `chat.pi_`. Default `pi_`. */
  tablePrefix?: string | undefined;
  /**
   * Milliseconds between two polls for events of other processes. One query serves all readers of this store. Events that
   * this store itself appends arrive at once. Default 100.
   */
  pollMs?: number | undefined;
}

/**
 * Keeps events in PostgreSQL, for any number of web servers. Pass a pool or client of `pg`, or an instance of `postgres`.
 * The tables are created at the first use, and migrated after an update. Runs that are older than `retainMs` are deleted
 * when another one ends.
 *
 * @throws TypeError for a `tablePrefix` that is not a valid name
 *
 * @example
 * const store = createPostgresEventStore<AgentEvent>(new pg.Pool({ connectionString }));
 */
export function createPostgresEventStore<TEvent = unknown>(
  client: PostgresClient,
  options: PostgresEventStoreOptions = {},
): ClosableEventStore<TEvent> {
  checkOptions(options, { ...EVENT_STORE_CHECKS, tablePrefix: mustBeText, pollMs: mustBeWait });
  const { tablePrefix = "pi_", pollMs = 100, retainMs = RETAIN_MS, keepEvents = KEEP_EVENTS } = options;
  const settings = { prefix: checkTablePrefix(tablePrefix), pollMs, retainMs, keepEvents };
  return createEventStore<TEvent>(new PostgresBackend(toRunSql(client), settings));
}

const migrations = (prefix: string): readonly string[] => [
  `CREATE TABLE ${prefix}event_runs (
    run text PRIMARY KEY, size bigint NOT NULL, last_key text, ended boolean NOT NULL DEFAULT false,
    dropped bigint NOT NULL DEFAULT 0, snapshot_offset bigint, snapshot text, updated_at timestamptz NOT NULL
  );
  CREATE INDEX ON ${prefix}event_runs (updated_at);
  CREATE TABLE ${prefix}events (
    run text NOT NULL, position bigint NOT NULL, event text NOT NULL, PRIMARY KEY (run, position)
  )`,
];

interface Settings {
  prefix: string;
  pollMs: number;
  retainMs: number;
  keepEvents: number;
}

class PostgresBackend implements EventBackend {
  readonly #run: RunSql;
  readonly #settings: Settings;
  readonly #prefix: string;
  readonly #waiters: PollingWaiters;

  constructor(client: RunSql, settings: Settings) {
    this.#settings = settings;
    const tables = { component: "events", prefix: settings.prefix, steps: migrations(settings.prefix) };
    this.#run = afterMigration(client, tables, (text) => new EventStoreError(text));
    this.#prefix = settings.prefix;
    this.#waiters = new PollingWaiters((waiting) => this.#findGrown(waiting), settings.pollMs);
  }

  async append(runId: string, text: string, key: string): Promise<number | undefined> {
    const add = () => this.#add(runId, text, key);
    // A statement whose connection broke may have been executed. The key keeps the second attempt from adding it again.
    const offset = await add().catch(add);
    this.#waiters.wake(runId);
    return offset;
  }

  async fetch(runId: string, fromOffset: number): Promise<EventPage> {
    // A single statement reads a consistent snapshot.
    const [run] = await this.#run(
      `SELECT r.size::text AS size, r.ended::text AS ended, s.start::text AS start,
        CASE WHEN s.start > $2::text::bigint THEN r.snapshot END AS snapshot,
        (SELECT json_agg(json_build_array(e.position, e.event) ORDER BY e.position)::text FROM (
          SELECT position, event FROM ${this.#prefix}events
          WHERE run = $1::text AND position > s.start ORDER BY position LIMIT ${PAGE_SIZE}
        ) e) AS entries
      FROM ${this.#prefix}event_runs r CROSS JOIN LATERAL (
        SELECT CASE WHEN r.dropped > $2::text::bigint THEN coalesce(r.snapshot_offset, $2::text::bigint)
          ELSE $2::text::bigint END AS start
      ) s WHERE r.run = $1::text`,
      runId,
      String(fromOffset),
    );
    if (!run) return { entries: [], last: 0, ended: false, isKnown: false };
    const { snapshot, entries, size, ended, start } = run;
    return {
      snapshot: typeof snapshot === "string" ? { offset: Number(start), text: snapshot } : undefined,
      // The statement builds pairs of a number and a text.
      entries: typeof entries === "string" ? (JSON.parse(entries) as [number, string][]) : [],
      last: Number(size),
      ended: ended === "true",
      isKnown: true,
    };
  }

  async begin(runId: string): Promise<void> {
    await this.#run(
      `INSERT INTO ${this.#prefix}event_runs (run, size, updated_at)
      VALUES ($1::text, 0, clock_timestamp()) ON CONFLICT (run) DO NOTHING`,
      runId,
    );
  }

  async end(runId: string): Promise<void> {
    await this.#run(
      `INSERT INTO ${this.#prefix}event_runs AS r (run, size, ended, updated_at)
      VALUES ($1::text, 0, true, clock_timestamp()) ON CONFLICT (run) DO UPDATE SET ended = true`,
      runId,
    );
    this.#waiters.wake(runId);
    await this.#run(
      `WITH gone AS (
        DELETE FROM ${this.#prefix}event_runs WHERE run IN (
          SELECT run FROM ${this.#prefix}event_runs
          WHERE updated_at < clock_timestamp() - $1::text::float8 * interval '1 ms' LIMIT 100 FOR UPDATE SKIP LOCKED
        ) RETURNING run
      ) DELETE FROM ${this.#prefix}events WHERE run IN (SELECT run FROM gone)`,
      String(this.#settings.retainMs),
    );
  }

  async snapshot(runId: string, offset: number, text: string): Promise<void> {
    await this.#run(
      `WITH kept AS (
        UPDATE ${this.#prefix}event_runs SET snapshot = $3::text, snapshot_offset = $2::text::bigint,
          dropped = greatest(dropped, $2::text::bigint - $4::text::bigint)
        WHERE run = $1::text AND size >= $2::text::bigint AND coalesce(snapshot_offset, 0) < $2::text::bigint
        RETURNING dropped
      ) DELETE FROM ${this.#prefix}events e USING kept WHERE e.run = $1::text AND e.position <= kept.dropped`,
      runId,
      String(offset),
      text,
      String(this.#settings.keepEvents),
    );
  }

  wait(runId: string, offset: number, signal: AbortSignal): Promise<void> {
    return this.#waiters.wait(runId, offset, signal);
  }

  async close(): Promise<void> {
    this.#waiters.close();
  }

  async #add(runId: string, text: string, key: string): Promise<number | undefined> {
    // The row of the run is locked until the event is visible, so events become visible in the order of their offsets.
    const [added] = await this.#run(
      `WITH run AS (
        INSERT INTO ${this.#prefix}event_runs AS r (run, size, last_key, updated_at)
        VALUES ($1::text, 1, $3::text, clock_timestamp())
        ON CONFLICT (run) DO UPDATE SET size = r.size + 1, last_key = excluded.last_key, updated_at = excluded.updated_at
        WHERE NOT r.ended AND r.last_key IS DISTINCT FROM excluded.last_key
        RETURNING r.size
      ), added AS (
        INSERT INTO ${this.#prefix}events (run, position, event) SELECT $1::text, run.size, $2::text FROM run
        RETURNING position
      ) SELECT position::text AS position FROM added`,
      runId,
      text,
      key,
    );
    if (added) return Number(added["position"]);
    const [run] = await this.#run(
      `SELECT size::text AS size FROM ${this.#prefix}event_runs WHERE run = $1::text AND last_key = $2::text`,
      runId,
      key,
    );
    return run && Number(run["size"]);
  }

  /** Returns the runs that have more events, or that have ended. */
  async #findGrown(waiting: readonly (readonly [runId: string, offset: number])[]): Promise<string[]> {
    const rows = await this.#run(
      `SELECT r.run FROM json_to_recordset($1::text::json) AS w (run text, size bigint)
      JOIN ${this.#prefix}event_runs r ON r.run = w.run WHERE r.size > w.size OR r.ended`,
      JSON.stringify(waiting.map(([run, size]) => ({ run, size }))),
    );
    return rows.map(({ run }) => String(run));
  }
}
