/**
 * Watches the provider's cache: what breaks it, and what it saves.
 *
 * @module pi-ai/cache
 */
export { type CacheBreak, findCacheBreak } from "./cache-break.js";
export { type CacheReport, reportCache } from "./cache-report.js";
export { type WatchCacheOptions, watchCache } from "./watch-cache.js";
