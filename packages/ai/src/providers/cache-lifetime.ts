/** How long a server of OpenAI's apis is asked to keep the prompt in its cache. */
import type { ModelFacts } from "../catalogue/compat/index.js";
import type { CacheRetention } from "../types/options.js";

interface CacheLifetime extends Pick<ModelFacts, "cacheLifetimeField"> {
  retention: CacheRetention | undefined;
  /** The host takes a longer lifetime than the default. */
  supportsLong: boolean;
  /** The host can be told to cache only up to marks, and so, without marks, nothing. */
  takesMarks: boolean;
  /** The longest `ttl` of the api. */
  longest: "30m" | "12h";
}

/**
 * The field for the lifetime. GPT-5.6 and later refuse `prompt_cache_retention`, and models before it
 * `prompt_cache_options` (`families.ts`). Without either, the server keeps the prompt for its default time: with the new
 * field 30 minutes. A write costs more than input there, so `none` asks for no write at all (openai SDK 7.57,
 * `PromptCacheOptions`: "explicit" without marks does not use prompt caching; 2026-11).
 */
export function cacheLifetimeFields(lifetime: CacheLifetime): Record<string, unknown> {
  const { cacheLifetimeField, retention, supportsLong, takesMarks, longest } = lifetime;
  const isLong = retention === "long" && supportsLong;
  if (cacheLifetimeField !== "options") return isLong ? { prompt_cache_retention: "24h" } : {};
  if (retention === "none" && takesMarks) return { prompt_cache_options: { mode: "explicit" } };
  return isLong ? { prompt_cache_options: { ttl: longest } } : {};
}
