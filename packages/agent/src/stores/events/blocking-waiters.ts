/** Waits on Redis streams for all readers of a process, with one blocking command on one connection. */

import { openConnection, type RedisClient, type RedisConnection, toConnection } from "./redis-client.js";
import { Waiters } from "./waiters.js";

/** How long one command blocks, in milliseconds. A connection that died silently is noticed after this time. */
const BLOCK_MS = 15_000;
/** Milliseconds until the next attempt after a failure. */
const RETRY_MS = 250;

export class BlockingWaiters {
  readonly #client: RedisClient;
  readonly #commands: RedisConnection;
  /** The prefix of a stream's name; the id of the run follows. */
  readonly #prefix: string;
  /** A stream that only this store uses: an entry in it wakes the blocked command. */
  readonly #wakeKey: string;
  readonly #waiters = new Waiters();
  #connection: RedisConnection | undefined;
  #isLooking = false;
  /** Whether the blocked command was already woken for new readers. */
  #isInterrupted = false;
  #isClosed = false;

  constructor(client: RedisClient, prefix: string) {
    this.#client = client;
    this.#commands = toConnection(client);
    this.#prefix = `${prefix}run:`;
    this.#wakeKey = `${prefix}wake:${crypto.randomUUID()}`;
  }

  wait(runId: string, offset: number, signal: AbortSignal): Promise<void> {
    return this.#waiters.wait(runId, offset, { signal, begin: () => this.#begin() });
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.close();
    this.#waiters.wakeAll();
  }

  /** Wakes the blocked command, which does not watch the new reader's stream, so that the next one watches all. */
  #begin(): void {
    if (this.#isLooking) this.#interrupt();
    else void this.#look();
  }

  #interrupt(): void {
    if (this.#isInterrupted) return;
    this.#isInterrupted = true;
    const words = ["XADD", this.#wakeKey, "MAXLEN", "1", "*", "w", "1"] as const;
    const sent = [this.#commands.send(...words), this.#commands.send("PEXPIRE", this.#wakeKey, String(4 * BLOCK_MS))];
    // If this fails, the reader waits until the command times out.
    for (const each of sent) each.catch(() => {});
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    let wakeId = "0-0";
    while (this.#waiters.size > 0 && !this.#isClosed) {
      try {
        const connection = await this.#connect();
        this.#isInterrupted = false;
        const waiting = this.#waiters.entries();
        const keys = [this.#wakeKey, ...waiting.map(([runId]) => `${this.#prefix}${runId}`)];
        const ids = [wakeId, ...waiting.map(([, offset]) => `${offset}-0`)];
        const reply = await connection.send("XREAD", "BLOCK", String(BLOCK_MS), "STREAMS", ...keys, ...ids);
        for (const [key, rows] of toStreams(reply)) {
          if (key === this.#wakeKey) wakeId = lastId(rows) ?? wakeId;
          else this.#waiters.wake(key.slice(this.#prefix.length));
        }
      } catch {
        // Wakes all readers: each fetches its events, and that request throws the error.
        this.#waiters.wakeAll();
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    this.#isLooking = false;
  }

  async #connect(): Promise<RedisConnection> {
    this.#connection ??= await openConnection(this.#client);
    if (this.#isClosed) this.#connection.close();
    return this.#connection;
  }
}

/**
 * Returns the names of the streams in a reply to XREAD. The reply is an array of pairs in RESP2; in RESP3 it is a map,
 * which ioredis returns as an array of keys and values. It is empty after a timeout.
 */
function toStreams(reply: unknown): [key: string, rows: unknown][] {
  if (reply instanceof Map) return [...reply].map(([key, rows]) => [String(key), rows]);
  if (!Array.isArray(reply)) return typeof reply === "object" && reply !== null ? Object.entries(reply) : [];
  const isFlat = !Array.isArray(reply[0]);
  const flat: unknown[] = isFlat ? reply : reply.flat();
  return flat.flatMap((key, index) => (index % 2 === 0 ? [[String(key), flat[index + 1]]] : []));
}

function lastId(rows: unknown): string | undefined {
  const last: unknown = Array.isArray(rows) ? rows.at(-1) : undefined;
  return Array.isArray(last) ? String(last[0]) : undefined;
}
