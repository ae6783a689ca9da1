/**
 * Watches the provider's cache: what breaks it, and what it saves.
 *
 * @module pi-ai/cache
 */

export { type CacheReport, reportCache } from "./cache-report.js";
export { type CacheBreak, findCacheBreak, type WatchCacheOptions, watchCache } from "./watch-cache.js";
