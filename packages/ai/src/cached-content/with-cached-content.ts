/** A stream function whose requests refer to a cached content. */
import { checkStreamFn, type WrappedStreamFn } from "../middleware/compose-streams.js";
import type { Model } from "../types/model.js";
import type { StreamFn } from "../types/options.js";
import type { CachedContent } from "./cached-content.js";
import { checkContent, replacePrefix } from "./content-prefix.js";

/** Why a request does not use the cached content: the content has expired, or the request does not begin with it. */
export type CachedContentMiss = "expired" | "prefix";

/** Options of {@link withCachedContent}. */
export interface WithCachedContentOptions {
  /** Called when a request to the cached content's model is sent in full instead. */
  onMiss?: (reason: CachedContentMiss) => void;
  /** The time, in Unix milliseconds. Default `Date.now`. */
  now?: () => number;
}

/**
 * Wraps a stream function so that requests refer to a cached content by name instead of repeating it. This applies to
 * requests of its model that begin with exactly the same system prompt, tools and first messages. Any other request is
 * sent in full, and so is one with `cacheRetention: "none"`.
 *
 * @typeParam TFunction the type of the stream function
 * @param streamFn sends the requests, such as `streamSimple`
 * @param cached the cached content, or a function that returns the current one
 * @throws ConfigError without a stream function or a cached content
 */
export function withCachedContent<TFunction extends StreamFn>(
  streamFn: TFunction,
  cached: CachedContent | (() => CachedContent | undefined),
  { onMiss, now = Date.now }: WithCachedContentOptions = {},
): WrappedStreamFn<TFunction> {
  checkStreamFn("withCachedContent", streamFn);
  if (typeof cached !== "function") checkContent(cached);
  const shortened: StreamFn = (model, context, options) => {
    const current = typeof cached === "function" ? cached() : cached;
    if (current) checkContent(current);
    if (!current || options?.cacheRetention === "none" || !isFor(current, model))
      return streamFn(model, context, options);
    const onPayload = async (payload: unknown, sentTo: Model): Promise<unknown> => {
      const body = (await options?.onPayload?.(payload, sentTo)) ?? payload;
      const isCurrent = current.expiresAt > now();
      const shorter = isCurrent ? await replacePrefix(body, current.name, current.prefix) : undefined;
      if (!shorter) onMiss?.(isCurrent ? "prefix" : "expired");
      return shorter ?? body;
    };
    return streamFn(model, context, { ...options, onPayload });
  };
  return shortened as WrappedStreamFn<TFunction>; // it returns what the function returns
}

function isFor({ model: { provider, api, id } }: CachedContent, model: Model): boolean {
  return provider === model.provider && api === model.api && id === model.id;
}
