/** A stream function that reports requests that break the provider's cache. */
import { ConfigError } from "../errors.js";
import { AssistantMessageEventStream } from "../event-stream/event-stream.js";
import type { AssistantMessage } from "../types/message.js";
import type { Api, Model } from "../types/model.js";
import type { SimpleStreamOptions, StreamFunction } from "../types/options.js";
import { checkCount } from "../utils/count.js";
import { createAssistantMessageDiagnostic } from "../utils/diagnostics.js";
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
 * @param streamFn the stream function that sends the requests, such as `streamSimple`
 * @throws ConfigError without a stream function, and for a `maxSessions` that is not a whole number of at least 1
 */
export function watchCache(
  streamFn: StreamFunction<Api, SimpleStreamOptions>,
  { onBreak, maxSessions = 1000 }: WatchCacheOptions = {},
): StreamFunction<Api, SimpleStreamOptions> {
  // JavaScript callers may pass anything.
  if (typeof streamFn !== "function") throw new ConfigError("watchCache needs a stream function, such as streamSimple");
  if (checkCount("maxSessions", maxSessions) === 0) throw new ConfigError("maxSessions must be at least 1, got 0");
  const latest = new Map<string, Prefix>();
  return (model, context, options) => {
    if (options?.cacheRetention === "none") return streamFn(model, context, options);
    const prefix = toPrefix(context);
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
    return withNote(streamFn(model, context, options), found);
  };
}

/** How many events may wait for the reader. */
const MAX_UNREAD = 256;

/** The same stream; its final message has the diagnostic. It ends with its reader, and waits for a slow one. */
function withNote(source: AssistantMessageEventStream, found: CacheBreak): AssistantMessageEventStream {
  const events = source[Symbol.asyncIterator]();
  const stream = new AssistantMessageEventStream({ onAbandoned: () => void events.return?.() });
  const note = createAssistantMessageDiagnostic("cache_broken", undefined, { ...found });
  const add = (message: AssistantMessage): AssistantMessage => {
    return { ...message, diagnostics: [...(message.diagnostics ?? []), note] };
  };
  const pass = async (): Promise<void> => {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      const event = next.value;
      if (event.type === "done") stream.push({ ...event, message: add(event.message) });
      else if (event.type === "error") stream.push({ ...event, error: add(event.error) });
      else stream.push(event);
      const readable = stream.whenReadable(MAX_UNREAD);
      if (readable) await readable;
    }
  };
  // A stream of this library ends with an event, whatever happens.
  pass().then(
    () => stream.end(),
    () => stream.end(),
  );
  return stream;
}
