/** The options of a request and the types of stream functions. */
import type { AssistantMessageEventStream } from "../message/response-stream.js";
import type { Context } from "./context.js";
import type { ContextManagement } from "./context-management.js";
import type { AssistantMessageEvent } from "./event.js";
import type { AssistantMessage } from "./message.js";
import type { Api, Model, ThinkingBudgets, ThinkingLevel } from "./model.js";

/** How long a provider should keep the prompt in its cache: not at all, its default time, or its longest time. */
export type CacheRetention = "none" | "short" | "long";

/** How to connect to a provider that offers more than one transport. Other providers ignore it. */
export type Transport = "sse" | "websocket" | "websocket-cached" | "auto";

/** Status and headers of a response, passed to `onResponse` before the body is read. */
export interface ProviderResponse {
  /** The HTTP status. */
  status: number;
  /** The headers, with lower-case names. */
  headers: Record<string, string>;
}

/** Limits on the memory that a server can make the caller use. All are far above what a model sends. */
export interface ResponseLimits {
  /** Longest single event, in characters; in bytes where events are binary (Bedrock, at most 24 MiB). Default 64 Mi. */
  eventLength?: number | undefined;
  /** Longest arguments of one tool call, in characters; longer ones are truncated and marked. Default 64 Mi. */
  argumentsLength?: number | undefined;
  /** Longest response on the wire, in bytes; over a WebSocket in characters. Default 512 Mi. */
  responseLength?: number | undefined;
  /** Most blocks of a response, such as tool calls; also most citations and diagnostics, counted together, but not above 2,000. Default 25,000. */
  blocks?: number | undefined;
}

/** The JSON Schema that the text of a response must fit, in the provider's native mode. */
export interface OutputFormat {
  /** The JSON Schema. It is reduced to what the provider accepts; a diagnostic `schema_narrowed` lists the changes. */
  schema: object;
  /** A name for the provider: up to 64 letters, digits, `_` and `-`. Default `"output"`. */
  name?: string | undefined;
}

/**
 * Options with one field for each api. What the api has no field for, or the model refuses, is not sent: the diagnostic
 * `option_omitted` of the message names it and the reason.
 */
export type PlainOption =
  | "stopSequences"
  | "topP"
  | "seed"
  | "parallelToolCalls"
  | "verbosity"
  | "serviceTier"
  | "fallbacks";

/** Options that every provider accepts if its API supports them. */
export interface StreamOptions {
  /** Sampling temperature. Not sent to a model that refuses it; the diagnostic `option_omitted` of the message says so. */
  temperature?: number | undefined;
  /** Maximum tokens to generate. Default: the model's own limit. */
  maxTokens?: number | undefined;
  /**
   * Texts at which the model stops; none may be empty. OpenAI's Chat Completions take 4, Google 5; more are an error before
   * the request. Default: none.
   */
  stopSequences?: readonly string[] | undefined;
  /** Samples from the most likely tokens up to this sum of probabilities, 0 to 1. Default: the provider's. */
  topP?: number | undefined;
  /** A whole number for sampling that can be repeated, as far as the provider can. Default: none. */
  seed?: number | undefined;
  /** Whether a response may call more than one tool. Default: the provider's, mostly true. */
  parallelToolCalls?: boolean | undefined;
  /** How much the model writes. Default: the provider's. */
  verbosity?: "low" | "medium" | "high" | undefined;
  /**
   * How soon the provider answers, and at which price: `"flex"` later for less, `"priority"` sooner for more, or a word of
   * the vendor's own, such as `"auto"`. The cost counts the tier that the response names. Default: the provider's.
   */
  serviceTier?: "flex" | "standard" | "priority" | (string & {}) | undefined;
  /**
   * Lets another Claude answer in the same request if the model declines it, at Anthropic's own address: the models that
   * Anthropic recommends, or up to three ids in order. `responseModel` names the one that answered, and the cost is its own.
   * Default: a refusal ends the response.
   */
  fallbacks?: "default" | readonly string[] | undefined;
  /** Aborts the request. The stream ends with `error` and reason `aborted`. */
  signal?: AbortSignal | undefined;
  /**
   * The API key. Default: the provider's environment variable, see `getEnvApiKey`. A server on this machine (a loopback
   * `baseUrl`) needs none.
   */
  apiKey?: string | undefined;
  /**
   * Returns the key of a provider, for stream functions that send the request to another model than the one that they are
   * called with, such as `route`. An agent passes its `getApiKey`. The functions of a single api use `apiKey`.
   */
  apiKeyFor?: ((provider: string) => string | undefined | Promise<string | undefined>) | undefined;
  /** Which transport to use, for providers with more than one (`openai-codex`). Default: the provider's usual one. */
  transport?: Transport | undefined;
  /** Default `"short"`; the environment variable `PI_CACHE_RETENTION=long` changes the default. */
  cacheRetention?: CacheRetention | undefined;
  /** Identifies the conversation, so that a provider can route it to the same cache. */
  sessionId?: string | undefined;
  /**
   * `"thread"`: the server keeps the conversation of the `sessionId` for five minutes, and a request carries only what is new.
   * At Anthropic's own address. Default: each request carries the whole conversation.
   */
  conversation?: "thread" | undefined;
  /** Receives the request body before it is sent. A return value other than `undefined` replaces it. */
  onPayload?: ((payload: unknown, model: Model) => unknown | Promise<unknown>) | undefined;
  /** Called when the headers of a successful response have arrived, before the body. */
  onResponse?: ((response: ProviderResponse, model: Model) => void | Promise<void>) | undefined;
  /** Headers to add to the request. They override the model's and the library's own. */
  headers?: Record<string, string> | undefined;
  /** Maximum time of the whole request in milliseconds, retries included. Default: none; 0 or Infinity = none. */
  timeoutMs?: number | undefined;
  /**
   * Maximum silence in milliseconds. The request fails if no headers, or no event with content, usage or a new state,
   * arrive for this long. Pings, empty deltas and the bytes of an unfinished event do not count. Default 120,000; 0 or
   * Infinity = none. For a server on this machine the default is 1,800,000, and comments count.
   */
  idleTimeoutMs?: number | undefined;
  /**
   * Milliseconds of silence after the stop reason that complete a response without an end marker. Until then usage and
   * late content still count, and every arrival restarts the wait. Default 1,000.
   */
  afterStopTimeoutMs?: number | undefined;
  /** Maximum retries after a transient failure, before the first event only. Default 2. */
  maxRetries?: number | undefined;
  /**
   * Longest delay that a provider may request before a retry, in milliseconds. A longer one fails the request. Default
   * 60,000; 0 or Infinity = no limit.
   */
  maxRetryDelayMs?: number | undefined;
  /** A response or event that exceeds these limits fails; arguments that exceed them get `argumentsError`. */
  limits?: ResponseLimits | undefined;
  /**
   * How another model's visible thinking is sent: `"text"` sends it as text of the message that it belongs to,
   * `"drop"` leaves it out. Default `"text"`.
   */
  foreignThinking?: "text" | "drop" | undefined;
  /**
   * Makes the provider enforce a JSON Schema on the text of the response. The text is not validated here: use
   * `completeObject` of `pi-ai/object`, which chooses between this and other ways. Default: free text.
   */
  outputFormat?: OutputFormat | undefined;
  /** The provider shortens the conversation on its servers when it grows long. Default: it does not. */
  contextManagement?: ContextManagement | undefined;
  /** Provider-specific metadata of the request; Anthropic reads `user_id`. */
  metadata?: Record<string, unknown> | undefined;
  /** Sends the HTTP requests. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** {@link StreamOptions} plus any option of the model's own api. */
export type ProviderStreamOptions = StreamOptions & Record<string, unknown>;

/** A tool choice that every api supports. */
export type SimpleToolChoice = "auto" | "none" | "required";

/** Options that mean the same for every provider. */
export interface SimpleStreamOptions extends StreamOptions {
  /** How hard to think. Default: no thinking, or the least that the model allows. */
  reasoning?: ThinkingLevel | undefined;
  /** Token budgets for the levels, for models that take a budget. */
  thinkingBudgets?: ThinkingBudgets | undefined;
  /** Whether the model may, must or must not call a tool. An api's own form is accepted too. Default `"auto"`. */
  toolChoice?: SimpleToolChoice | (object & {}) | (string & {}) | undefined;
}

/** Options for the process that sends the request to the provider. */
type LocalOption =
  | "signal"
  | "apiKey"
  | "apiKeyFor"
  | "conversation"
  | "onPayload"
  | "onResponse"
  | "timeoutMs"
  | "idleTimeoutMs"
  | "afterStopTimeoutMs"
  | "maxRetries"
  | "limits"
  | "fetch";

/** Options that shape the response. A relay's client sends them and its server applies them. */
export type RelayOption = Exclude<keyof SimpleStreamOptions, LocalOption>;

/**
 * Sends a request to a model. Returns the stream at once; every later failure is the stream's `error` event. Throws
 * only for programming errors, such as a model of another api.
 */
export type StreamFunction<TApi extends Api = Api, TOptions extends StreamOptions = StreamOptions> = (
  model: Model<TApi>,
  context: Context,
  options?: TOptions,
) => AssistantMessageEventStream;

/** The stream of one response: any async iterable of events with a `result()`, such as the streams of this library. */
export interface AssistantResponseStream extends AsyncIterable<AssistantMessageEvent> {
  /** The final message. May settle later than the last event; an agent waits as long as `idleTimeoutMs` allows. */
  result(): Promise<AssistantMessage>;
  /** Like `result()`, for callers that read no events. */
  resultOnly?(): Promise<AssistantMessage>;
}

/**
 * Any function that sends a request to a model: `streamSimple`, the function of one api such as `streamSimpleAnthropic`, a
 * route, the relay's client, your own. It should report failures of the request as the stream's `error` event; if it
 * throws, the run of an agent ends as an error. The function of one api throws for a model of another.
 */
export type StreamFn = {
  // A method, because parameters of methods are compared both ways: so the function of a single api is one, too.
  send(
    model: Model,
    context: Context,
    options?: SimpleStreamOptions,
  ): AssistantResponseStream | Promise<AssistantResponseStream>;
}["send"];
