/** A stream function that reports requests that break the provider's cache. */
import { ConfigError } from "../../errors.js";
import { normalizeContext } from "../../request/index.js";
import type { Model } from "../../types/model.js";
import type { StreamFn } from "../../types/options.js";
import { checkCount } from "../../utils/count.js";
import { createAssistantMessageDiagnostic } from "../../utils/diagnostics.js";
import { checkStreamFn, type WrappedStreamFn } from "../compose-streams.js";
import { mapStream } from "../map-stream.js";
import { type CacheBreak, comparePrefixes, type Prefix, toPrefix } from "./cache-break.js";

/** Options of {@link watchCache}. */
export interface WatchCacheOptions {
  /** Called before a request that cannot reuse everything that the previous request has cached. */
  onBreak?: (found: CacheBreak, model: Model) => void;
  /** The number of conversations to remember. Default 1000. */
  maxSessions?: number;
}

/**
 * Compares each request with the previous one of the same model and `sessionId`. If a request does not begin with the
 * whole previous one, its response gets the diagnostic `cache_broken`, whose details are a {@link CacheBreak}: the
 * first difference in tools, system prompt or messages. Requests without a `sessionId` belong to one conversation if
 * they begin with the same message, so that agents can share the function; a change of that message is then not
 * noticed. Each comparison takes linear time in the size of the context, and requests with `cacheRetention: "none"` are
 * not watched.
 *
 * @typeParam TFunction the type of the stream function
 * @param streamFn sends the requests: any stream function, also an asynchronous one. Around a `route`, a request is compared
 * with the previous one to the model that was asked for, and noted once; inside of it (its `streamFn`), each model that
 * is tried is compared with its own previous request, as its cache is
 * @throws ConfigError without a stream function, and for a `maxSessions` that is not a whole number of at least 1
 */
export function watchCache<TFunction extends StreamFn>(
  streamFn: TFunction,
  { onBreak, maxSessions = 1000 }: WatchCacheOptions = {},
): WrappedStreamFn<TFunction> {
  checkStreamFn("watchCache", streamFn);
  if (checkCount("maxSessions", maxSessions) === 0) throw new ConfigError("maxSessions must be at least 1, got 0");
  const latest = new Map<string, Prefix>();
  const watched: StreamFn = (model, context, options) => {
    if (options?.cacheRetention === "none") return streamFn(model, context, options);
    const prefix = readPrefix(context);
    if (!prefix) return streamFn(model, context, options);
    const conversation = options?.sessionId ?? `begins with ${prefix.messages[0] ?? ""}`;
    const key = JSON.stringify([model.provider, model.id, conversation]);
    const before = latest.get(key);
    latest.delete(key);
    latest.set(key, prefix);
    const oldest = latest.keys().next();
    if (latest.size > maxSessions && !oldest.done) latest.delete(oldest.value);
    const found = before && comparePrefixes(before, prefix);
    if (!found) return streamFn(model, context, options);
    onBreak?.(found, model);
    const note = createAssistantMessageDiagnostic("cache_broken", undefined, { ...found });
    return mapStream(streamFn(model, context, options), {
      final: (message) => ({ ...message, diagnostics: [...(message.diagnostics ?? []), note] }),
    });
  };
  return watched as WrappedStreamFn<TFunction>; // it returns what the function returns, or a stream of this library for it
}

/** Undefined for a conversation that cannot be read. The stream function explains what is wrong with it. */
function readPrefix(context: Parameters<typeof normalizeContext>[0]): Prefix | undefined {
  try {
    return toPrefix(normalizeContext(context));
  } catch {
    return undefined;
  }
}
