/** Writes to one session in PostgreSQL while this writer holds its lease. */
import type { RunSql } from "../postgres-client.js";
import { LineQueue, type OpenSession } from "./open-session.js";
import { SessionLogError } from "./session-lines.js";

export interface PostgresWriterOptions {
  run: RunSql;
  prefix: string;
  id: string;
  /** Identifies this writer. Stored in the session with the lease. */
  token: string;
  leaseMs: number;
  /** The number of entries in the session. */
  size: number;
  onLost: (error: SessionLogError) => void;
}

export function createPostgresWriter(options: PostgresWriterOptions): Omit<OpenSession, "read"> {
  const lease = new Lease(options);
  const isNew = options.size === 0;
  let { size } = options;
  const queue = new LineQueue(async (lines, progress) => {
    lease.assertHeld();
    size += await addLines(lines, { ...options, size }).catch((error) => lease.check(error));
    progress.written = lines.length;
  });
  return {
    isNew,
    append: (lines) => queue.append(lines),
    flush: () => queue.flush(),
    release: () => lease.release(),
  };
}

/**
 * Adds lines after the first `size` entries, and returns how many there were. If a connection was lost, its statement
 * may have been executed: the session is then longer than expected, and lines that it already has are not written
 * again.
 */
async function addLines(
  lines: readonly string[],
  { run, prefix, id, token, leaseMs, size }: PostgresWriterOptions,
): Promise<number> {
  const [row] = await run(
    `WITH before AS (
      SELECT size FROM ${prefix}sessions WHERE id = $1::text AND writer = $2::text FOR UPDATE
    ), line AS (
      SELECT entry, position + $4::text::bigint AS position
      FROM json_array_elements_text($3::text::json) WITH ORDINALITY AS line (entry, position)
    ), added AS (
      INSERT INTO ${prefix}session_entries (session, position, entry)
      SELECT $1::text, line.position, line.entry FROM line, before WHERE line.position > before.size RETURNING 1
    ), held AS (
      UPDATE ${prefix}sessions s
      SET size = $4::text::bigint + (SELECT count(*) FROM line), updated_at = clock_timestamp(),
        lease_until = clock_timestamp() + $5::text::float8 * interval '1 ms'
      FROM before WHERE s.id = $1::text RETURNING 1
    ) SELECT (SELECT count(*) FROM held)::text AS held, (SELECT count(*) FROM added)::text AS added`,
    id,
    token,
    JSON.stringify(lines),
    String(size),
    String(leaseMs),
  );
  if (row?.["held"] !== "1") throw new SessionLogError(`Another writer has taken the session ${id} over`);
  return lines.length;
}

/** The lease of a writer. A timer renews it, because a run may write nothing for longer than a lease lasts. */
class Lease {
  readonly #options: PostgresWriterOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  #lost: SessionLogError | undefined;

  constructor(options: PostgresWriterOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#renew(), options.leaseMs / 3);
    // The timer must not keep the process alive. Only Node has `unref`.
    if (typeof this.#timer === "object") this.#timer.unref?.();
  }

  assertHeld(): void {
    if (this.#lost) throw this.#lost;
  }

  /** Rethrows the error, and ends the lease first if the error means that the lease is lost. */
  check(error: unknown): never {
    if (error instanceof SessionLogError && !this.#lost) {
      this.#lost = error;
      clearInterval(this.#timer);
      this.#options.onLost(error);
    }
    throw error;
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#lost) return;
    const { run, prefix, id, token } = this.#options;
    const sql = `UPDATE ${prefix}sessions SET writer = NULL, lease_until = NULL WHERE id = $1::text AND writer = $2::text`;
    await run(sql, id, token);
  }

  async #renew(): Promise<void> {
    const { run, prefix, id, token, leaseMs } = this.#options;
    try {
      const [row] = await run(
        `UPDATE ${prefix}sessions SET lease_until = clock_timestamp() + $3::text::float8 * interval '1 ms'
        WHERE id = $1::text AND writer = $2::text RETURNING 1 AS held`,
        id,
        token,
        String(leaseMs),
      );
      if (!row) this.check(new SessionLogError(`Another writer has taken the session ${id} over`));
    } catch {
      // Either the loss was reported, or the database is unreachable. The next write will show which.
    }
  }
}
