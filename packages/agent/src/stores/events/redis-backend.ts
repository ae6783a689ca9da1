/** Keeps events in Redis. Each run is a stream, whose entry `n-0` is event `n`, and a hash with its state. Redis runs scripts atomically. */
import type { Complete } from "pi-ai/call";
import { BlockingWaiters } from "./blocking-waiters.js";
import { type EventBackend, type EventPage, PAGE_SIZE } from "./event-store.js";
import type { EventStoreOptions } from "./memory-event-store.js";
import { type RedisClient, type RedisConnection, toConnection } from "./redis-client.js";

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

export class RedisBackend implements EventBackend {
  readonly #connection: RedisConnection;
  readonly #settings: Complete<EventStoreOptions> & { prefix: string };
  readonly #waiters: BlockingWaiters;

  constructor(client: RedisClient, settings: Complete<EventStoreOptions> & { prefix: string }) {
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
