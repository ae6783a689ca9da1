/**
 * Keeps the events of runs in Redis streams. The client is passed in.
 *
 * @module pi-agent/event-store/redis
 */

export type { IoredisClient, NodeRedisClient, RedisClient } from "../../event-store/redis-client.js";
export { createRedisEventStore, type RedisEventStoreOptions } from "../../event-store/redis-event-store.js";
