/**
 * Cached contents of Gemini: Google keeps the beginning of a conversation, and requests refer to it instead of sending
 * it.
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
