/**
 * A stream function over several models: fallback, hedging, limits, and key rotation.
 *
 * @module pi-ai/route
 */
export { type LearnedLimit, type LimitStore, MemoryLimitStore, type RouteLimit } from "../route/limit-store.js";
export { createRedisLimitStore, type RedisScripts } from "../route/redis-limit-store.js";
export { route } from "../route/route.js";
export type { RouteClock, RouteOptions, RouteTarget } from "../route/route-options.js";
