/**
 * Watches the provider's cache: what breaks it, and what it saves.
 *
 * @module pi-ai/cache
 */
export { type CacheBreak, findCacheBreak } from "../cache/cache-break.js";
export { type CacheReport, reportCache } from "../cache/cache-report.js";
export { type WatchCacheOptions, watchCache } from "../cache/watch-cache.js";
