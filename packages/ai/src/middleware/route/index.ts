/**
 * A stream function over several models: fallback, hedging, limits, and key rotation.
 *
 * @module pi-ai/route
 */
export { type LearnedLimit, type LimitStore, MemoryLimitStore, type RouteLimit } from "./limit-store.js";
export { createRedisLimitStore, type RedisScripts } from "./redis-limit-store.js";
export { route } from "./route.js";
export type { RouteClock, RouteOptions, RouteTarget } from "./route-options.js";
