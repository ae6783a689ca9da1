/** Writes to one session in PostgreSQL while this writer holds its lease. */
import type { RunSql } from "../postgres-client.js";
import { LineQueue, type OpenSession, type SessionLoss } from "./open-session.js";
import { SessionLogError } from "./session-lines.js";

interface PostgresWriterOptions {
  run: RunSql;
  prefix: string;
  id: string;
  /** Identifies this writer. Stored in the session with the lease. */
  token: string;
  leaseMs: number;
  /** The number of entries in the session. */
  size: number;
  /** When the lease was asked for, by the monotonic clock of this process. */
  sentAt: number;
  loss: SessionLoss;
}

export function createPostgresWriter(options: PostgresWriterOptions): Omit<OpenSession, "read"> {
  const { loss } = options;
  const lease = new Lease(options);
  const isNew = options.size === 0;
  let { size } = options;
  const queue = new LineQueue(async (lines, progress) => {
    const sentAt = performance.now();
    await addLines(lines, { ...options, size });
    lease.extend(sentAt);
    // One write at a time changes it.
    size += lines.length;
    progress.written = lines.length;
  }, loss);
  return {
    isNew,
    loss,
    append: (lines) => queue.append(lines),
    flush: () => queue.flush(),
    assertHeld: () => lease.assertHeld(),
    release: () => lease.release(),
  };
}

/**
 * Adds lines after the first `size` entries. If a connection was lost, its statement may have been executed, or may still be,
 * after the one that took its place: the session is then longer than expected, and lines that it has are not written again.
 *
 * @throws SessionLogError when another writer has the session
 */
async function addLines(
  lines: readonly string[],
  { run, prefix, id, token, leaseMs, size }: PostgresWriterOptions,
): Promise<void> {
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
      SET size = greatest(before.size, $4::text::bigint + (SELECT count(*) FROM line)), updated_at = clock_timestamp(),
        lease_until = clock_timestamp() + $5::text::float8 * interval '1 ms'
      FROM before WHERE s.id = $1::text RETURNING 1
    ) SELECT (SELECT count(*) FROM held)::text AS held, (SELECT count(*) FROM added)::text AS added`,
    id,
    token,
    JSON.stringify(lines),
    String(size),
    String(leaseMs),
  );
  if (row?.["held"] !== "1") throw createTakenError(id);
}

function createTakenError(id: string): SessionLogError {
  return new SessionLogError(`Another writer has taken the session ${id} over`);
}

/** The lease of a writer. A timer renews it, because a run may write nothing for longer than a lease lasts. */
class Lease {
  readonly #options: PostgresWriterOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  /** When it runs out, by the monotonic clock of this process: never later than by the clock of the database. */
  #heldUntil = 0;

  constructor(options: PostgresWriterOptions) {
    this.#options = options;
    this.extend(options.sentAt);
    // The next write or the next call shows what a renewal that failed has not told.
    this.#timer = setInterval(() => void this.#renew().catch(() => {}), options.leaseMs / 3);
    // The timer must not keep the process alive. Only Node has `unref`.
    if (typeof this.#timer === "object") this.#timer.unref?.();
  }

  /** A statement that was sent then has renewed the lease. */
  extend(sentAt: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, sentAt + this.#options.leaseMs);
  }

  /** Rejects if the lease is lost, or if it has run out and cannot be renewed: another writer may have the session by now. */
  assertHeld(): Promise<void> | undefined {
    return performance.now() < this.#heldUntil ? undefined : this.#renewLate();
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    const { run, prefix, id, token, loss } = this.#options;
    if (loss.error) return;
    const sql = `UPDATE ${prefix}sessions SET writer = NULL, lease_until = NULL WHERE id = $1::text AND writer = $2::text`;
    await run(sql, id, token);
  }

  async #renewLate(): Promise<void> {
    const { id, loss } = this.#options;
    if (loss.error) throw loss.error;
    try {
      await this.#renew();
    } catch (cause) {
      if (cause instanceof SessionLogError) throw cause;
      throw new SessionLogError(`The lease on the session ${id} ran out, because the database could not be reached`, {
        cause,
      });
    }
  }

  /** Rejects with a `SessionLogError` if another writer has the session. */
  async #renew(): Promise<void> {
    const { run, prefix, id, token, leaseMs, loss } = this.#options;
    const sentAt = performance.now();
    const [row] = await run(
      `UPDATE ${prefix}sessions SET lease_until = clock_timestamp() + $3::text::float8 * interval '1 ms'
      WHERE id = $1::text AND writer = $2::text RETURNING 1 AS held`,
      id,
      token,
      String(leaseMs),
    );
    if (row) return this.extend(sentAt);
    clearInterval(this.#timer);
    const taken = createTakenError(id);
    loss.note(taken);
    throw taken;
  }
}
