/**
 * Keeps the events of runs in Redis streams. The client is passed in.
 *
 * @module pi-agent/event-store/redis
 */

import { checkOptions, mustBeDuration, mustBeText } from "../../checks.js";
import { type ClosableEventStore, createEventStore, KEEP_EVENTS, RETAIN_MS } from "./event-store.js";
import { EVENT_STORE_CHECKS, type EventStoreOptions } from "./memory-event-store.js";
import { RedisBackend } from "./redis-backend.js";
import { type RedisClient, toConnection } from "./redis-client.js";

export type { IoredisClient, NodeRedisClient, RedisClient } from "./redis-client.js";

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
