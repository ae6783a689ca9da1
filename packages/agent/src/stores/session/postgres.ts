/**
 * Sessions in PostgreSQL, for any number of machines. The client is passed in.
 *
 * @module pi-agent/session/postgres
 */
import type { Complete } from "pi-ai/call";
import { checkOptions, mayBeAnything, mustBeText } from "../../checks.js";
import { afterMigration, checkTablePrefix, type PostgresClient, type RunSql, toRunSql } from "../postgres-client.js";
import type { OpenSession } from "./open-session.js";
import { createPostgresWriter } from "./postgres-writer.js";
import { addLine, parseEntries, parseLine, type SessionLines, SessionLogError } from "./session-lines.js";
import {
  createSessionStore,
  type ListOptions,
  type OpenOptions,
  type SessionBackend,
  type SessionStore,
  type SessionSummary,
  summarize,
} from "./session-store.js";

export type { PgClient, PostgresClient, PostgresJsClient } from "../postgres-client.js";

/** Options of {@link postgresSessions}. */
export interface PostgresSessionOptions {
  /** The prefix of the names of the tables, optionally with a schema: `chat.pi_`. Default `pi_`. */
  tablePrefix?: string | undefined;
  /**
   * The duration of a writer's lease on its session, in milliseconds. A writer renews its lease three times within this
   * time; after a crash the session is free when the lease ends. Default 15,000.
   */
  leaseMs?: number | undefined;
}

/**
 * Stores sessions in PostgreSQL, for any number of machines. Pass a pool or client of `pg`, or an instance of `postgres`.
 * The tables are created at the first use, and migrated after an update.
 *
 * A writer holds a lease on its session. Every write checks the lease in the same statement, by the clock of the database,
 * so a writer that has lost the session cannot write to it. After a crash, another writer has to wait until the lease
 * ends, or pass `takeOver`.
 *
 * @throws TypeError for a `tablePrefix` that is not a valid name, or a `leaseMs` that is not a positive number
 *
 * @example
 * const sessions = postgresSessions(new pg.Pool({ connectionString }));
 * const session = await sessions.open("chat-1");
 * const agent = new Agent({ initialState: { model, messages: session.messages }, middleware: [session] });
 */
export function postgresSessions(client: PostgresClient, options: PostgresSessionOptions = {}): SessionStore {
  checkOptions(options, { tablePrefix: mustBeText, leaseMs: mayBeAnything });
  const { tablePrefix = "pi_", leaseMs = 15_000 } = options;
  if (!(leaseMs > 0 && leaseMs < 2 ** 31)) throw new TypeError(`leaseMs must be a positive number; got ${leaseMs}`);
  return createSessionStore(new PostgresBackend(toRunSql(client), checkTablePrefix(tablePrefix), leaseMs));
}

const migrations = (prefix: string): readonly string[] => [
  `CREATE TABLE ${prefix}sessions (
    id text PRIMARY KEY, size bigint NOT NULL, updated_at timestamptz NOT NULL, writer text, lease_until timestamptz
  );
  CREATE INDEX ON ${prefix}sessions (updated_at DESC, id);
  CREATE TABLE ${prefix}session_entries (
    session text NOT NULL, position bigint NOT NULL, entry text NOT NULL, PRIMARY KEY (session, position)
  )`,
];

/** How many entries are read at once. */
const PAGE = 200;

class PostgresBackend implements SessionBackend {
  readonly #run: RunSql;
  readonly #prefix: string;
  readonly #leaseMs: number;

  constructor(client: RunSql, prefix: string, leaseMs: number) {
    const tables = { component: "sessions", prefix, steps: migrations(prefix) };
    this.#run = afterMigration(client, tables, (text) => new SessionLogError(text));
    this.#prefix = prefix;
    this.#leaseMs = leaseMs;
  }

  async open(id: string, { takeOver, loss }: OpenOptions): Promise<OpenSession> {
    const token = crypto.randomUUID();
    const sentAt = performance.now();
    const free = takeOver ? "true" : "s.writer IS NULL OR s.lease_until < clock_timestamp()";
    const [row] = await this.#run(
      `INSERT INTO ${this.#prefix}sessions AS s (id, size, updated_at, writer, lease_until)
      VALUES ($1::text, 0, clock_timestamp(), $2::text, clock_timestamp() + $3::text::float8 * interval '1 ms')
      ON CONFLICT (id) DO UPDATE SET writer = excluded.writer, lease_until = excluded.lease_until WHERE ${free}
      RETURNING size::text AS size`,
      id,
      token,
      String(this.#leaseMs),
    );
    if (!row) throw createLockedError(id);
    const writer = createPostgresWriter({
      run: this.#run,
      prefix: this.#prefix,
      id,
      token,
      leaseMs: this.#leaseMs,
      size: Number(row["size"]),
      sentAt,
      loss,
    });
    return { ...writer, read: async () => (await this.read(id)) ?? parseEntries([]) };
  }

  /** Page by page: a pool keeps all rows of a statement in memory. */
  async read(id: string): Promise<SessionLines | undefined> {
    const log = parseEntries([]);
    for (let last = "0", count = 0; ; ) {
      const rows = await this.#run(
        `SELECT e.entry, e.position::text AS position
        FROM ${this.#prefix}sessions s LEFT JOIN LATERAL (
          SELECT entry, position FROM ${this.#prefix}session_entries
          WHERE session = s.id AND position > $2::text::bigint ORDER BY position LIMIT ${PAGE}
        ) e ON true WHERE s.id = $1::text ORDER BY e.position`,
        id,
        last,
      );
      if (rows.length === 0) return undefined;
      for (const { entry, position } of rows) {
        if (typeof entry !== "string") continue;
        addLine(log, parseLine(entry), ++count);
        last = String(position);
      }
      if (rows.length < PAGE) return log;
    }
  }

  async list({ limit, offset }: Complete<ListOptions>): Promise<SessionSummary[]> {
    const rows = await this.#run(
      `SELECT s.id, (extract(epoch FROM s.updated_at) * 1000)::float8::text AS updated, e.entry AS header
      FROM ${this.#prefix}sessions s LEFT JOIN ${this.#prefix}session_entries e ON e.session = s.id AND e.position = 1
      ORDER BY s.updated_at DESC, s.id LIMIT $1::text::bigint OFFSET $2::text::bigint`,
      String(limit),
      String(offset),
    );
    return rows.map(({ id, updated, header }) =>
      summarize(String(id), typeof header === "string" ? header : undefined, Number(updated)),
    );
  }

  async create(id: string, lines: readonly string[]): Promise<boolean> {
    const [row] = await this.#run(
      `WITH made AS (
        INSERT INTO ${this.#prefix}sessions (id, size, updated_at) VALUES ($1::text, $2::text::bigint, clock_timestamp())
        ON CONFLICT DO NOTHING RETURNING id
      ), added AS (
        INSERT INTO ${this.#prefix}session_entries (session, position, entry)
        SELECT made.id, line.position, line.entry
        FROM made, json_array_elements_text($3::text::json) WITH ORDINALITY AS line (entry, position) RETURNING 1
      ) SELECT (SELECT count(*) FROM made)::text AS made, (SELECT count(*) FROM added)::text AS added`,
      id,
      String(lines.length),
      JSON.stringify(lines),
    );
    return row?.["made"] === "1";
  }

  async delete(id: string): Promise<void> {
    const [row] = await this.#run(
      `WITH gone AS (
        DELETE FROM ${this.#prefix}sessions
        WHERE id = $1::text AND (writer IS NULL OR lease_until < clock_timestamp()) RETURNING id
      ), emptied AS (
        DELETE FROM ${this.#prefix}session_entries WHERE session IN (SELECT id FROM gone) RETURNING 1
      ) SELECT (SELECT count(*) FROM gone)::text AS gone, (SELECT count(*) FROM emptied)::text AS entries,
        (SELECT count(*) FROM ${this.#prefix}sessions WHERE id = $1::text)::text AS found`,
      id,
    );
    if (row?.["gone"] === "0" && row["found"] === "1") throw createLockedError(id);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function createLockedError(id: string): SessionLogError {
  return new SessionLogError(
    `The session ${id} is in use by another writer. Close it there first, wait for the end of its lease, or take it over`,
  );
}
