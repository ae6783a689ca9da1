/**
 * Keeps the events of runs in Redis streams. The client is passed in.
 *
 * @module pi-agent/event-store/redis
 */

export type { IoredisClient, NodeRedisClient, RedisClient } from "./redis-client.js";
export { createRedisEventStore, type RedisEventStoreOptions } from "./redis-event-store.js";
