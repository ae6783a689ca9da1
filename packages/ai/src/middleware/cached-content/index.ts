/**
 * Cached contents of Gemini: Google keeps the beginning of a conversation, and requests refer to it instead of sending
 * it.
 *
 * @module pi-ai/cached-content
 */

export type { ContentPrefix } from "./cached-content.js";
export {
  type CachedContent,
  type CachedContentMiss,
  type CachedContentOptions,
  createCachedContent,
  deleteCachedContent,
  refreshCachedContent,
  type WithCachedContentOptions,
  withCachedContent,
} from "./cached-content.js";
