/**
 * Cached contents of Gemini: the beginning of a conversation that Google keeps, so that requests only refer to it.
 *
 * @module pi-ai/cached-content
 */
export {
  type CachedContent,
  type CachedContentOptions,
  createCachedContent,
  deleteCachedContent,
  refreshCachedContent,
} from "../cached-content/cached-content.js";
export type { ContentPrefix } from "../cached-content/content-prefix.js";
export {
  type CachedContentMiss,
  type WithCachedContentOptions,
  withCachedContent,
} from "../cached-content/with-cached-content.js";
