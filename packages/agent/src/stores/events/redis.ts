/**
 * Keeps the events of runs in Redis streams. The client is passed in.
 *
 * @module pi-agent/event-store/redis
 */

import type { Complete } from "pi-ai/call";
import { checkOptions, mustBeDuration, mustBeText, throwWrong } from "../../checks.js";
import {
  type ClosableEventStore,
  createEventStore,
  type EventBackend,
  type EventPage,
  KEEP_EVENTS,
  PAGE_SIZE,
  RETAIN_MS,
  Waiters,
} from "./event-store.js";
import { EVENT_STORE_CHECKS, type EventStoreOptions } from "./memory-event-store.js";

// A Redis client that an application passes in, reduced to one function.

/** A client of `ioredis`. */
export interface IoredisClient {
  /** Sends a command. */
  call(command: string, ...words: string[]): Promise<unknown>;
  /** Makes another connection with the same settings. */
  duplicate(): IoredisClient;
  /** Closes the connection. */
  disconnect(): void;
  /** Listens to errors of the connection. */
  on(event: "error", listener: () => void): unknown;
}

/** A client of `redis` or `@redis/client` (node-redis), version 5 or later. */
export interface NodeRedisClient {
  /** Sends a command. */
  sendCommand(words: string[]): Promise<unknown>;
  /** Makes another connection with the same settings. */
  duplicate(): NodeRedisClient;
  /** Opens the connection. */
  connect(): Promise<unknown>;
  /** Closes the connection at once. */
  destroy(): void;
  /** Listens to errors of the connection. */
  on(event: "error", listener: () => void): unknown;
}

/** A client of Redis: of `ioredis` or of `redis` (node-redis). */
export type RedisClient = IoredisClient | NodeRedisClient;

/** One connection. */
interface RedisConnection {
  send(...words: [command: string, ...words: string[]]): Promise<unknown>;
  close(): void;
}

/** The application's own connection, which stays open. */
function toConnection(client: RedisClient): RedisConnection {
  const { call, sendCommand } = Object(client);
  if (typeof call !== "function" && typeof sendCommand !== "function")
    throwWrong("The client of Redis", "one of ioredis or redis", client);
  return { send: createSend(client), close: () => {} };
}

/** Opens a second connection, for commands that block. */
async function openConnection(client: RedisClient): Promise<RedisConnection> {
  const own = client.duplicate();
  // Without a listener, an error of the connection ends the process. Commands report it too.
  own.on("error", () => {});
  if ("sendCommand" in own && !isIoredis(own)) await own.connect();
  return { send: createSend(own), close: () => (isIoredis(own) ? own.disconnect() : own.destroy()) };
}

function createSend(client: RedisClient): RedisConnection["send"] {
  return isIoredis(client) ? (...words) => client.call(...words) : (...words) => client.sendCommand(words);
}

/** Both clients have a `sendCommand`, with different parameters, so `call` distinguishes them. */
function isIoredis(client: RedisClient): client is IoredisClient {
  return "call" in client && typeof client.call === "function";
}

/** Options of {@link createRedisEventStore}. */
export interface RedisEventStoreOptions extends EventStoreOptions {
  /** The prefix of the names of keys. For a cluster it must contain a hash tag: `{pi}:`. Default `pi:events:`. */
  prefix?: string | undefined;
}

/**
 * Keeps events in Redis streams (Redis 6.2 or later, or Valkey), for any number of web servers. Pass a client of `ioredis`
 * or `redis`. Readers wait on a duplicate of its connection, which `close` closes.
 *
 * @example
 * const store = createRedisEventStore<AgentEvent>(new Redis(url));
 */
export function createRedisEventStore<TEvent = unknown>(
  client: RedisClient,
  options: RedisEventStoreOptions = {},
): ClosableEventStore<TEvent> {
  checkOptions(options, { ...EVENT_STORE_CHECKS, prefix: mustBeText });
  const { prefix = "pi:events:", retainMs = RETAIN_MS, keepEvents = KEEP_EVENTS } = options;
  return createEventStore<TEvent>(new RedisBackend(client, { prefix, retainMs, keepEvents }));
}

/** Options of {@link createRedisClaim}. */
export interface RedisClaimOptions {
  /** The prefix of the names of keys. Default `pi:claim:`. */
  prefix?: string | undefined;
  /**
   * How long a used approval is remembered, in milliseconds. Must be at least the `timeoutMs` of `approvals`. Default: for ever, because an
   * approval without a time can come again for ever.
   */
  retainMs?: number | undefined;
}

/**
 * The `claim` of `approvals` for several processes: Redis remembers which approvals were used. If Redis fails, the call does not
 * run.
 *
 * @example
 * approvals({ pause: true, secret, claim: createRedisClaim(new Redis(url)) });
 */
export function createRedisClaim(
  client: RedisClient,
  options: RedisClaimOptions = {},
): (signature: string) => Promise<boolean> {
  checkOptions(options, { prefix: mustBeText, retainMs: mustBeDuration });
  const { prefix = "pi:claim:", retainMs } = options;
  const { send } = toConnection(client);
  const time = retainMs === undefined ? [] : ["PX", String(retainMs)];
  return async (signature) => (await send("SET", `${prefix}${signature}`, "1", "NX", ...time)) === "OK";
}

// Each run is a stream, whose entry `n-0` is event `n`, and a hash with its state. Redis runs scripts atomically.

const APPEND = `
local facts = redis.call('HMGET', KEYS[2], 'last', 'key', 'ended')
if facts[2] == ARGV[2] then return tonumber(facts[1]) end
if facts[3] then return -1 end
local last = redis.call('HINCRBY', KEYS[2], 'last', 1)
redis.call('XADD', KEYS[1], string.format('%d-0', last), 'e', ARGV[1])
redis.call('HSET', KEYS[2], 'key', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return last`;

const BEGIN = `
if redis.call('HSETNX', KEYS[2], 'last', 0) == 1 then redis.call('PEXPIRE', KEYS[2], ARGV[1]) end
return 1`;

/** Wakes readers with an entry that is not an event. */
const END = `
if redis.call('HSETNX', KEYS[2], 'ended', 1) == 0 then return 0 end
local last = tonumber(redis.call('HGET', KEYS[2], 'last') or '0')
redis.call('XADD', KEYS[1], string.format('%d-0', last + 1), 'x', '1')
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return 1`;

const SNAPSHOT = `
local facts = redis.call('HMGET', KEYS[2], 'last', 'snapshotOffset', 'dropped')
local offset = tonumber(ARGV[1])
if offset > tonumber(facts[1] or '0') or offset <= tonumber(facts[2] or '0') then return 0 end
local dropped = math.max(tonumber(facts[3] or '0'), offset - tonumber(ARGV[3]))
redis.call('HSET', KEYS[2], 'snapshot', ARGV[2], 'snapshotOffset', ARGV[1], 'dropped', string.format('%d', dropped))
redis.call('XTRIM', KEYS[1], 'MINID', string.format('%d-0', dropped + 1))
return 1`;

/** Returns the last offset (empty for an unknown run), whether the run has ended, the snapshot with its offset, and then entries with their ids. */
const FETCH = `
local facts = redis.call('HMGET', KEYS[2], 'last', 'ended', 'dropped', 'snapshotOffset')
local start = tonumber(ARGV[1])
local found = { facts[1] or '', facts[2] or '0', '', '' }
if start < tonumber(facts[3] or '0') then
  start = tonumber(facts[4])
  found[3] = facts[4]
  found[4] = redis.call('HGET', KEYS[2], 'snapshot')
end
local rows = redis.call('XRANGE', KEYS[1], string.format('%d-0', start + 1), '+', 'COUNT', ARGV[2])
for _, row in ipairs(rows) do
  if row[2][1] == 'e' then
    found[#found + 1] = row[1]
    found[#found + 1] = row[2][2]
  end
end
return found`;

class RedisBackend implements EventBackend {
  readonly #connection: RedisConnection;
  readonly #settings: Complete<RedisEventStoreOptions>;
  readonly #waiters: BlockingWaiters;

  constructor(client: RedisClient, settings: Complete<RedisEventStoreOptions>) {
    this.#connection = toConnection(client);
    this.#settings = settings;
    this.#waiters = new BlockingWaiters(client, settings.prefix);
  }

  async append(runId: string, text: string, key: string): Promise<number | undefined> {
    // After a lost connection a client sends the command again. The key makes the second one harmless.
    const offset = Number(await this.#eval(APPEND, runId, text, key, String(this.#settings.retainMs)));
    return offset < 0 ? undefined : offset;
  }

  async fetch(runId: string, fromOffset: number): Promise<EventPage> {
    // The script returns an array of texts.
    const found = (await this.#eval(FETCH, runId, String(fromOffset), String(PAGE_SIZE))) as string[];
    const [last, ended, offset = "", text = "", ...rest] = found;
    const entries: [number, string][] = [];
    for (let index = 0; index < rest.length; index += 2)
      entries.push([Number.parseInt(rest[index] ?? "", 10), rest[index + 1] ?? ""]);
    const snapshot = offset === "" ? undefined : { offset: Number(offset), text };
    const hasEnded = ended === "1";
    return { snapshot, entries, last: Number(last), ended: hasEnded, isKnown: last !== "" || hasEnded };
  }

  async begin(runId: string): Promise<void> {
    await this.#eval(BEGIN, runId, String(this.#settings.retainMs));
  }

  async end(runId: string): Promise<void> {
    await this.#eval(END, runId, String(this.#settings.retainMs));
  }

  async snapshot(runId: string, offset: number, text: string): Promise<void> {
    await this.#eval(SNAPSHOT, runId, String(offset), text, String(this.#settings.keepEvents));
  }

  wait(runId: string, offset: number, signal: AbortSignal): Promise<void> {
    return this.#waiters.wait(runId, offset, signal);
  }

  async close(): Promise<void> {
    this.#waiters.close();
  }

  #eval(script: string, runId: string, ...words: string[]): Promise<unknown> {
    const { prefix } = this.#settings;
    return this.#connection.send("EVAL", script, "2", `${prefix}run:${runId}`, `${prefix}facts:${runId}`, ...words);
  }
}

// Waits on Redis streams for all readers of a process, with one blocking command on one connection.

/** How long one command blocks, in milliseconds. A connection that died silently is noticed after this time. */
const BLOCK_MS = 15_000;
/** Milliseconds until the next attempt after a failure. */
const RETRY_MS = 250;

class BlockingWaiters {
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
