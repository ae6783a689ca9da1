/** Options of a call, and the shape of a stream function. */
import type { AssistantMessageEventStream } from "../event-stream/assistant-message-event-stream.js";
import type { Context } from "./context.js";
import type { Api, Model } from "./model.js";
import type { ThinkingBudgets, ThinkingLevel } from "./thinking.js";

/** How long a provider should keep the prompt in its cache: not at all, its default, or its longest time. */
export type CacheRetention = "none" | "short" | "long";

/** How to reach a provider that offers more than one way. Providers with one way ignore it. */
export type Transport = "sse" | "websocket" | "websocket-cached" | "auto";

/** Status and headers of an answer, handed to `onResponse` before its body is read. */
export interface ProviderResponse {
  /** The HTTP status. */
  status: number;
  /** The headers, with names in lower case. */
  headers: Record<string, string>;
}

/** Bounds on what a server can make the caller hold in memory. All are far above what a model sends. */
export interface ResponseLimits {
  /** Longest single event, in characters; in bytes where events are binary (Bedrock, at most 24 MiB). Default 64 Mi. */
  eventLength?: number;
  /** Longest arguments of one tool call, in characters; longer ones are cut off and marked. Default 64 Mi. */
  argumentsLength?: number;
  /** Longest answer as it comes over the wire, in bytes; in characters over a WebSocket. Default 512 Mi. */
  responseLength?: number;
}

/** Options that every provider understands, as far as its protocol has them. */
export interface StreamOptions {
  /** Sampling temperature; left out where thinking forbids it. */
  temperature?: number;
  /** Most tokens to generate. Default: the model's own limit. */
  maxTokens?: number;
  /** Aborts the call; the stream ends with `error` and reason `aborted`. */
  signal?: AbortSignal;
  /** Default: the provider's environment variable, see `getEnvApiKey`. */
  apiKey?: string;
  /** Which way to take, for providers with more than one (`openai-codex`). Default: the provider's usual one. */
  transport?: Transport;
  /** Default `"short"`; the environment variable `PI_CACHE_RETENTION=long` changes the default. */
  cacheRetention?: CacheRetention;
  /** Names the conversation, so that a provider can route it to the same cache. */
  sessionId?: string;
  /** Sees the request body before it is sent; anything but `undefined` replaces it. */
  onPayload?: (payload: unknown, model: Model) => unknown | Promise<unknown>;
  /** Called when the headers of a good answer have arrived, before the body. */
  onResponse?: (response: ProviderResponse, model: Model) => void | Promise<void>;
  /** Added to the request; these win over the model's and the library's own. */
  headers?: Record<string, string>;
  /** Bound on the whole request in milliseconds, retries included. Default: none; 0 or Infinity = none. */
  timeoutMs?: number;
  /**
   * Bound on silence in milliseconds: no headers, or no event that adds content, usage or a new state, for this long
   * fails the request. Pings, empty deltas and the bytes of an event that does not end do not count. Default 120,000;
   * 0 or Infinity = none.
   */
  idleTimeoutMs?: number;
  /**
   * Milliseconds of silence after the stop reason that complete the response although its end marker is missing. Until
   * then usage and late content still count, and anything that arrives restarts the wait. Default 1,000.
   */
  afterStopTimeoutMs?: number;
  /** How often a request is sent again after a failure that may pass, before the first event only. Default 2. */
  maxRetries?: number;
  /** Longest wait that a provider may ask for, in milliseconds; a longer one fails the request. Default 60,000; 0 or Infinity = no bound. */
  maxRetryDelayMs?: number;
  /** An event or an answer beyond these ends in an error, arguments in `argumentsError`. */
  limits?: ResponseLimits;
  /**
   * What becomes of visible thinking of another model when a conversation moves on: `"text"` sends it as the text of the
   * answer that it belongs to, `"drop"` leaves it out. Default `"text"`.
   */
  foreignThinking?: "text" | "drop";
  /** Provider-specific facts about the request; Anthropic reads `user_id`. */
  metadata?: Record<string, unknown>;
  /** Makes the HTTP requests. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** {@link StreamOptions} and whatever more the model's own API takes. */
export type ProviderStreamOptions = StreamOptions & Record<string, unknown>;

/** A tool choice that every protocol can express. */
export type SimpleToolChoice = "auto" | "none" | "required";

/** Options that mean the same for every provider. */
export interface SimpleStreamOptions extends StreamOptions {
  /** Default: no thinking, as far as the model can do without. */
  reasoning?: ThinkingLevel;
  /** What a level means in tokens, for models that take a budget. */
  thinkingBudgets?: ThinkingBudgets;
  /** Whether the model may, must not or must call a tool. An API's own form is accepted too. Default `"auto"`. */
  toolChoice?: SimpleToolChoice | (object & {}) | (string & {});
}

/** Options that concern the process which sends the request to the provider. */
type LocalOption =
  | "signal"
  | "apiKey"
  | "onPayload"
  | "onResponse"
  | "timeoutMs"
  | "idleTimeoutMs"
  | "afterStopTimeoutMs"
  | "maxRetries"
  | "limits"
  | "fetch";

/** Options that shape the response: the client of a relay sends them, and its server applies them. */
export type RelayOption = Exclude<keyof SimpleStreamOptions, LocalOption>;

/**
 * Calls a model. Returns the stream at once; whatever fails later is the stream's one `error` event.
 * Throws only for a programmer's error, such as a model of another api.
 */
export type StreamFunction<TApi extends Api = Api, TOptions extends StreamOptions = StreamOptions> = (
  model: Model<TApi>,
  context: Context,
  options?: TOptions,
) => AssistantMessageEventStream;
