/** A PostgreSQL client that an application passes in, reduced to one function that migrates the tables first. */

import { throwWrong } from "../checks.js";

/** A pool or client of `pg`, or another with this method (PGlite, Neon's driver). */
export interface PgClient {
  /** Executes one statement. */
  query(text: string, values?: string[]): Promise<{ rows: unknown[] }>;
}

/** An instance of `postgres` (postgres.js). */
export interface PostgresJsClient {
  /** Executes one statement. */
  unsafe(text: string, values?: string[]): PromiseLike<readonly unknown[]>;
}

/** A client of PostgreSQL: a pool or client of `pg`, or an instance of `postgres`. */
export type PostgresClient = PgClient | PostgresJsClient;

/**
 * Executes one statement and returns its rows. All parameters are texts, which the statements cast, because the clients
 * serialize other types differently.
 */
export type RunSql = (text: string, ...values: string[]) => Promise<readonly Record<string, unknown>[]>;

export function toRunSql(client: PostgresClient): RunSql {
  const { query, unsafe } = Object(client);
  if (typeof query !== "function" && typeof unsafe !== "function")
    throwWrong("The client of PostgreSQL", "a pool or client of pg, or an instance of postgres", client);
  return async (text, ...values) => {
    const rows = "unsafe" in client ? await client.unsafe(text, values) : (await client.query(text, values)).rows;
    // Both return rows as objects by default.
    return rows as readonly Record<string, unknown>[];
  };
}

/** @throws TypeError for a prefix that is not valid in a table's name */
export function checkTablePrefix(prefix: string): string {
  if (/^([a-z_][a-z0-9_]{0,30}\.)?[a-z_][a-z0-9_]{0,30}$/.test(prefix)) return prefix;
  throw new TypeError(
    `tablePrefix must be a lowercase name, optionally with a schema and a dot before it; got ${prefix}`,
  );
}

export interface Migrations {
  /** The name of the component that owns the tables, such as `sessions`. */
  component: string;
  /** The prefix of the names of tables. */
  prefix: string;
  /** The statements of each migration. Only ever append to the list. */
  steps: readonly string[];
}

/**
 * Returns a function that migrates the tables before it executes the first statement. After a failed migration the next
 * statement tries again, because the failure may be temporary.
 *
 * @param createError creates the error for tables of a later version
 */
export function afterMigration(run: RunSql, migrations: Migrations, createError: (text: string) => Error): RunSql {
  const { component, steps } = migrations;
  let ready: Promise<void> | undefined;
  const migrate = async (): Promise<void> => {
    try {
      const version = await migratePostgres(run, migrations);
      if (version <= steps.length) return;
      throw createError(
        `The tables of ${component} have version ${version}, which a later pi-agent wrote. This one knows version ${steps.length}`,
      );
    } catch (error) {
      ready = undefined;
      throw error;
    }
  };
  return async (text, ...values) => {
    ready ??= migrate();
    await ready;
    return run(text, ...values);
  };
}

/**
 * Runs the missing steps, in one statement and under a lock, because many processes may start at once. If the tables are
 * up to date, no right to create tables is needed.
 *
 * @returns the version that the tables have
 */
export async function migratePostgres(run: RunSql, { component, prefix, steps }: Migrations): Promise<number> {
  const table = `${prefix}migrations`;
  const version = await readVersion(run, table, component);
  if (version >= steps.length) return version;
  // No `IF NOT EXISTS`: the server would send notices, which clients print.
  const missing = steps.map(
    (step, index) => `IF present < ${index + 1} THEN
      ${step};
    END IF;`,
  );
  await run(`DO $pi$
    DECLARE present integer := 0;
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('pi-agent migrations'));
      -- to_regclass may not see what another process created while this one waited for the lock.
      BEGIN
        CREATE TABLE ${table} (component text PRIMARY KEY, version integer NOT NULL);
      EXCEPTION WHEN duplicate_table THEN NULL;
      END;
      SELECT coalesce(max(version), 0) INTO present FROM ${table} WHERE component = '${component}';
      ${missing.join("\n")}
      IF present < ${steps.length} THEN
        INSERT INTO ${table} VALUES ('${component}', ${steps.length})
        ON CONFLICT (component) DO UPDATE SET version = excluded.version;
      END IF;
    END $pi$`);
  return readVersion(run, table, component);
}

async function readVersion(run: RunSql, table: string, component: string): Promise<number> {
  const [found] = await run("SELECT to_regclass($1::text)::text AS name", table);
  if (typeof found?.["name"] !== "string") return 0;
  const [row] = await run(`SELECT version::text AS version FROM ${table} WHERE component = $1::text`, component);
  return Number(row?.["version"] ?? 0);
}
