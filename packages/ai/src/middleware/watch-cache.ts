/**
 * Watches the provider's cache: what breaks it, and what it saves.
 *
 * @module pi-ai/cache
 */

import { comparesCaches } from "../catalogue/compat/index.js";
import { ConfigError } from "../errors.js";
import { normalizeContext } from "../message/index.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage, Usage } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions, StreamFn } from "../types/options.js";
import { priceAt } from "../utils/dated-price.js";
import { createAssistantMessageDiagnostic } from "../utils/diagnostics.js";
import { checkCount } from "../utils/duration.js";
import { isRecord } from "../utils/is-object.js";
import { checkOptionNames, type OptionNames } from "../utils/nearest-names.js";
import { type CacheBreak, comparePrefixes, type Prefix, placeFor, toPrefix } from "./cache-break.js";
import { readSettings } from "./cache-settings.js";
import { mapStream } from "./map-stream.js";
import { checkStreamFn, type WrappedStreamFn } from "./stream-middleware.js";

export { type CacheBreak, findCacheBreak } from "./cache-break.js";

export { type CacheReport, reportCache } from "./cache-report.js";

/** Options of {@link watchCache}. */
export interface WatchCacheOptions {
  /** Called before a request that cannot reuse everything that the previous request has cached. */
  onBreak?: ((found: CacheBreak, model: Model) => void) | undefined;
  /** Called after a response for which the provider says why it did not use the cache of the previous one. */
  onMiss?: ((miss: CacheMiss, model: Model) => void) | undefined;
  /** The number of conversations to remember. Default 1000. */
  maxSessions?: number | undefined;
}

/** The provider's own reason for a miss. */
export interface CacheMiss {
  /** The part of the request that changed, such as `tools_changed` or `reasoning_effort_changed`; see the provider's reference. */
  reason: string;
  /** The tokens of the prompt after the first difference. */
  missedTokens?: number;
  /** The tokens of the prompt before it. */
  reusableTokens?: number;
}

const NAMES: OptionNames<WatchCacheOptions> = {
  onBreak: true,
  onMiss: true,
  maxSessions: true,
};

/**
 * Compares each request with the previous one of the same model and `sessionId`. If a request does not begin with the
 * whole previous one, or changes a setting that the vendor's cache depends on, its response gets the diagnostic
 * `cache_broken`, whose details are a {@link CacheBreak}: the first difference in tools, system prompt, settings or messages,
 * and `rereadTokens` and `dollars`, what it cost. Requests without a `sessionId` belong to one conversation if
 * they begin with the same message, so that agents can share the function; a change of that message is then not
 * noticed. Each comparison takes linear time in the size of the context, and requests with `cacheRetention: "none"` are
 * not watched.
 *
 * Where the provider compares by itself (OpenAI's Responses API, GPT-5.6 and later; the Claude API), each request names the
 * previous response, and the diagnostic `cache_miss` of a response holds the provider's reason, see {@link CacheMiss}.
 *
 * @typeParam TFunction the type of the stream function
 * @param streamFn sends the requests: any stream function, also an asynchronous one. Around a `route`, a request is compared
 * with the previous one to the model that was asked for, and noted once; inside of it (its `streamFn`), each model that
 * is tried is compared with its own previous request, as its cache is
 * @throws ConfigError without a stream function, and for a `maxSessions` that is not a whole number of at least 1
 */
export function watchCache<TFunction extends StreamFn>(
  streamFn: TFunction,
  options: WatchCacheOptions = {},
): WrappedStreamFn<TFunction> {
  checkStreamFn("watchCache", streamFn);
  checkOptionNames("watchCache", options, NAMES);
  const { onBreak, onMiss, maxSessions = 1000 } = options;
  if (checkCount("maxSessions", maxSessions) === 0) throw new ConfigError("maxSessions must be at least 1, got 0");
  const latest = new Map<string, Watched>();
  const watched: StreamFn = (model, context, options) => {
    if (options?.cacheRetention === "none") return streamFn(model, context, options);
    const prefix = readPrefix(context, model, options);
    if (!prefix) return streamFn(model, context, options);
    const key = keyOf(model, options?.sessionId, prefix);
    const before = latest.get(key);
    const request: Watched = { prefix };
    remember(latest, { key, request, maxSessions });
    const found = before && comparePrefixes(before.prefix, prefix);
    if (found) onBreak?.(found, model);
    const earlier = found ? lastPromptTokens(normalizeContext(context)) : 0;
    const isCompared = comparesCaches(model);
    if (!found && !isCompared) return streamFn(model, context, options);
    const sent = isCompared ? comparedWith(model, before?.responseId, options) : options;
    return mapStream(streamFn(model, context, sent), {
      final: (message) => {
        const miss = readAnswer(message, request);
        if (miss) onMiss?.(miss, model);
        if (!found) return message;
        const details = { ...found, ...costOfBreak(message, earlier, model) };
        const note = createAssistantMessageDiagnostic("cache_broken", undefined, details);
        return { ...message, diagnostics: [...(message.diagnostics ?? []), note] };
      },
    });
  };
  return watched as WrappedStreamFn<TFunction>; // it returns what the function returns, or a stream of this library for it
}

/** The latest request of a conversation. */
interface Watched {
  prefix: Prefix;
  /** The id of its response, once there is one. */
  responseId?: string;
}

/** The field of each api that asks the provider for a comparison, with what the caller has put there. */
const QUESTIONS: Readonly<Record<string, (id: string | undefined, body: Record<string, unknown>) => object>> = {
  // openai SDK 7.57, `PromptCacheOptions`, 2026-11.
  "openai-responses": (id, { prompt_cache_options: own }) =>
    id === undefined ? {} : { prompt_cache_options: { comparison_response_id: id, ...(isRecord(own) ? own : {}) } },
  // @anthropic-ai/sdk 1.14, `DiagnosticsParam`, 2026-11: null has the first request remembered.
  "anthropic-messages": (id, { diagnostics: own }) => ({
    diagnostics: { previous_message_id: id ?? null, ...(isRecord(own) ? own : {}) },
  }),
};

/** The options with a hook that asks the provider to compare the request with that of a response. */
function comparedWith(
  { api }: Model,
  responseId: string | undefined,
  options: SimpleStreamOptions | undefined,
): SimpleStreamOptions | undefined {
  const onPayload: NonNullable<SimpleStreamOptions["onPayload"]> = async (payload, model) => {
    const body = (await options?.onPayload?.(payload, model)) ?? payload;
    return isRecord(body) ? { ...body, ...QUESTIONS[api]?.(responseId, body) } : body;
  };
  return { ...options, onPayload };
}

/** The name of a conversation with a model. */
function keyOf({ provider, id }: Model, sessionId: string | undefined, { messages }: Prefix): string {
  return JSON.stringify([provider, id, sessionId ?? `begins with ${messages[0] ?? ""}`]);
}

/** As the latest of all conversations. The oldest is forgotten. */
function remember(
  latest: Map<string, Watched>,
  { key, request, maxSessions }: { key: string; request: Watched; maxSessions: number },
): void {
  latest.delete(key);
  latest.set(key, request);
  const oldest = latest.keys().next();
  if (latest.size > maxSessions && !oldest.done) latest.delete(oldest.value);
}

/** Keeps the id of the response, and returns why the provider did not use its cache. */
function readAnswer({ diagnostics, responseId }: AssistantMessage, request: Watched): CacheMiss | undefined {
  if (responseId !== undefined) request.responseId = responseId;
  const { details = {} } = diagnostics?.find(({ type }) => type === "cache_miss") ?? {};
  const { reason, missedTokens, reusableTokens } = details;
  if (typeof reason !== "string") return undefined;
  return {
    reason,
    ...(typeof missedTokens === "number" ? { missedTokens } : {}),
    ...(typeof reusableTokens === "number" ? { reusableTokens } : {}),
  };
}

/** A stream function of the application may report no usage. */
const promptTokensOf = (usage: Usage | undefined): number =>
  usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0;

/** The tokens of the prompt of the latest response in the conversation. */
function lastPromptTokens({ messages }: Context): number {
  const last = messages.findLast((message) => message.role === "assistant" && promptTokensOf(message.usage) > 0);
  return last?.role === "assistant" ? promptTokensOf(last.usage) : 0;
}

/** The tokens that the request before may have cached and this one did not read, and US dollars for that. */
function costOfBreak(
  { usage, timestamp }: AssistantMessage,
  earlier: number,
  model: Model,
): { rereadTokens?: number; dollars?: number } {
  const rereadTokens = Math.min(earlier, promptTokensOf(usage)) - (usage?.cacheRead ?? 0);
  if (!(rereadTokens > 0)) return {};
  const cost = priceAt(model.cost, timestamp);
  const paid = usage.cacheWrite > 0 ? cost.cacheWrite : cost.input;
  return { rereadTokens, dollars: (rereadTokens * (paid - cost.cacheRead)) / 1e6 };
}

/** Undefined for a conversation that cannot be read. The stream function explains what is wrong with it. */
function readPrefix(
  context: Parameters<typeof normalizeContext>[0],
  model: Model,
  options: SimpleStreamOptions | undefined,
): Prefix | undefined {
  try {
    const { context: placed, level } = placeFor(model, normalizeContext(context), options);
    return { ...toPrefix(placed), settings: readSettings(model, placed, { level, options }) };
  } catch {
    return undefined;
  }
}
