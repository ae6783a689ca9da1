/** A PostgreSQL client that an application passes in, reduced to one function. */

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
