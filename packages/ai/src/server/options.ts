/** The options of a relay. */

import { ConfigError } from "../errors.js";
import type { AssistantMessageEventStream } from "../message/index.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage, Usage } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import type { Complete } from "../utils/complete.js";
import { checkDuration } from "../utils/duration.js";
import { nameValue } from "../utils/name-value.js";
import { checkOptionNames, type OptionNames } from "../utils/nearest-names.js";

type MaybePromise<TValue> = TValue | Promise<TValue>;

/** `true` or a caller grants access, `false` responds with 401, and `"forbidden"` (known, but not allowed) with 403. */
export type ProxyAuthorization<TCaller> = boolean | "forbidden" | { caller: TCaller };

/** Limits on what a client can request. A duration of `Infinity` means no limit; a negative one throws a `ConfigError`. */
export interface ProxyLimits {
  /** Largest request body in bytes. Default 20 MiB, because it contains images. */
  maxBodyBytes?: number | undefined;
  /** Milliseconds within which the whole body must arrive. Default 30,000. */
  bodyTimeoutMs?: number | undefined;
  /** Deepest nesting of the body. Default 100. */
  maxDepth?: number | undefined;
  /** The maximum number of messages in a conversation. Default 10,000. */
  maxMessages?: number | undefined;
  /** The maximum number of tools. Default 1,000. */
  maxTools?: number | undefined;
  /** The maximum number of server tools, such as web searches, which cost extra or send requests. Default 0. */
  maxServerTools?: number | undefined;
  /**
   * The maximum number of tokens that any request may generate, reasoning included; at least 16. A model whose
   * server takes no limit (`compat.supportsMaxOutputTokens: false`) is rejected with 403. Default: the model's own limit.
   */
  maxTokens?: number | undefined;
  /**
   * The maximum number of tokens of a prompt, as estimated from its texts, images, files and tools; larger ones are rejected with
   * 413. A file of which only an address or an id is known counts as the context window of the model. Default: none, so a
   * client can have the provider read as much as the model takes.
   */
  maxInputTokens?: number | undefined;
  /** Milliseconds for a whole request to the provider, retries included. Default: none. */
  timeoutMs?: number | undefined;
  /** Milliseconds within which a client must take half of the events that wait for it, and at least one. Default 60,000. */
  stallTimeoutMs?: number | undefined;
  /** Milliseconds of silence after which a comment keeps the connection alive. Default 5,000; 0 = never. */
  keepAliveMs?: number | undefined;
}

/** One request to a provider, for billing. */
export interface ProxyUsage<TCaller = unknown> {
  /** The caller that `authorize` returned. */
  caller: TCaller | undefined;
  /** The model of the request. */
  model: Model;
  /** The final message. `usage` holds the counts that the provider sent, and their cost; `stopReason` says how it ended. */
  message: AssistantMessage;
  /** The client disconnected before the end. The provider may still charge for what it had begun. */
  clientLeft: boolean;
  /**
   * Whether `message.usage` is final: the response is complete and was counted, or the provider rejected the request.
   * False if the client left, the response was cut off, or the provider sent no counts.
   */
  complete: boolean;
  /**
   * An estimate from the request and the streamed content, if the counts are not complete. The provider's own counts
   * are kept; the others are estimated as by `estimateTokens`, and a file whose size is unknown as the model's context window.
   */
  estimate?: Usage;
}

/** The options of `createProxyHandler`: authorization, models, keys, limits and reports. */
export interface ProxyHandlerOptions<TCaller = unknown> {
  /** The token that clients send, or several, compared in constant time; or a function that checks the token itself. */
  authorize:
    | string
    | readonly string[]
    | ((token: string, request: Request) => MaybePromise<ProxyAuthorization<TCaller>>);
  /** The allowed models: `"provider/id"`, or `"provider/*"` for all of a provider; or a function. */
  allowModels: readonly string[] | ((model: Model, caller: TCaller | undefined) => MaybePromise<boolean>);
  /** Returns a provider's key. Default, also for `undefined`: the library's own lookup, see `getEnvApiKey`. */
  getApiKey?: ((provider: string, caller: TCaller | undefined) => MaybePromise<string | undefined>) | undefined;
  /**
   * Whether a caller may use a file of the provider's account, which all callers share: one that was uploaded for this caller.
   * Called with each `fileId`, and with the ids of stores and containers and the addresses of files that belong to the account,
   * also where they are hidden in a signature. Default: none.
   */
  allowFile?: ((fileId: string, caller: TCaller | undefined) => MaybePromise<boolean>) | undefined;
  /**
   * Whether the provider, or a model server of your own, may fetch an address of the web that a client names, of a file or of
   * an MCP server. Default: addresses of the public web, which excludes this machine, private and link-local networks, names
   * without a dot, and names that end in `.local`, `.internal` and the like. A public name may still resolve to a private
   * address, so a model server of your own should check what it fetches.
   */
  allowAddress?: ((address: string, caller: TCaller | undefined) => MaybePromise<boolean>) | undefined;
  /** Limits on bodies, conversations, tokens and time. */
  limits?: ProxyLimits | undefined;
  /** Headers that a client may add to the provider's request, by name. Default: none. Credentials are never taken. */
  allowHeaders?: readonly string[] | undefined;
  /**
   * Origins whose pages may send requests, such as `"https://app.example.com"`, or `"*"` for all. Default: only pages of the
   * server's own origin, which need no permission.
   */
  allowOrigins?: readonly string[] | undefined;
  /**
   * Keeps the events of responses, so that a client can resume after a lost connection, on any server with the same store:
   * see `pi-agent/event-store`. A request to a provider then continues without its client, until it ends or the client stops
   * it; `limits.timeoutMs` and `limits.maxTokens` limit the cost. A response belongs to the caller that `authorize` returned
   * for its request, or, if that returned none, to the token; to all others it does not exist.
   */
  eventStore?: EventStore | undefined;
  /**
   * Names the owner of a caller's responses in the store, such as `(user) => user.id`; never empty. Needed for callers that are
   * objects of a class, or whose fields change between requests. Default: the caller itself, with all of its fields.
   */
  runOwner?: ((caller: TCaller | undefined) => string) | undefined;
  /** Called once for each request to a provider, when it has ended. */
  onUsage?: ((usage: ProxyUsage<TCaller>) => MaybePromise<void>) | undefined;
  /**
   * Receives the errors of the functions above, of which the client receives status 500 without details; and the texts of
   * failures that name hosts, ports or files of the server. Of a failure of the network the client receives the kind and a
   * sentence, of others the text without those names.
   */
  onError?: ((error: unknown) => void) | undefined;
  /** Finds a model by provider and id. Default: the catalogue and the models that `registerModels` added. */
  getModel?: ((provider: string, id: string) => Model | undefined) | undefined;
  /** Sends the request to the model. Default: `streamSimple`. */
  streamFn?:
    | ((model: Model, context: Context, options: SimpleStreamOptions) => MaybePromise<AssistantMessageEventStream>)
    | undefined;
}

/** Services of the runtime, such as the third argument of a Cloudflare worker's `fetch`, or a framework's second one. */
export interface ProxyRuntime {
  /** The parameters of a route, which Next.js passes to its handlers (route.js reference, 2026-11). Not used. */
  params?: unknown;
  /** Keeps a worker alive until the promise settles, so that `onUsage` runs after the client has left. */
  waitUntil?: (promise: Promise<unknown>) => void;
}

/** Handles one request. */
export type ProxyHandler = (request: Request, runtime?: ProxyRuntime) => Promise<Response>;

// The interface of a store for the events of a run, with which a client can resume after a lost connection.

/**
 * The events of runs, each a JSON value. The offset of an event is its number in its run, from 1; 0 is before the first. Any
 * process may read a run that another one writes. A run has one writer at a time.
 */
export interface EventStore<TEvent = unknown> {
  /**
   * Adds an event and returns its offset. The first event starts the run.
   *
   * @throws Error when the run has ended
   */
  append(runId: string, event: TEvent): Promise<number>;
  /**
   * Yields the events after an offset (default 0), and then new ones, until the run ends or the signal aborts. Waits for a
   * run that has not started. If events after the offset were dropped, the first value is the snapshot that replaces them,
   * with the offset of the last event that it covers.
   *
   * @throws Error when events were dropped and no snapshot replaces them
   */
  read(runId: string, fromOffset?: number, signal?: AbortSignal): AsyncIterable<[offset: number, event: TEvent]>;
  /**
   * Whether the store has a run: its events, or at least its beginning or its end. A page that asks for another run would wait
   * for its start for ever; a store without this function lets it wait.
   */
  has?(runId: string): Promise<boolean>;
  /**
   * Makes a run known before its first event, so that `has` finds it in every process. Does nothing for a known run. Without
   * this function, a reader in another process reads that a run without events does not exist.
   */
  begin?(runId: string): Promise<void>;
  /** Ends a run. Its readers finish when they have read all events. Does nothing if the run has ended. */
  end(runId: string): Promise<void>;
  /** Stores a snapshot that replaces all events up to an offset, which the store may then drop. */
  snapshot(runId: string, offset: number, event: TEvent): Promise<void>;
}

type RequiredLimits = Complete<Omit<ProxyLimits, "maxTokens" | "maxInputTokens" | "timeoutMs">>;

export type ResolvedLimits = Omit<ProxyLimits, keyof RequiredLimits> & RequiredLimits;

const DEFAULT_LIMITS: RequiredLimits = {
  maxBodyBytes: 20 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  maxDepth: 100,
  maxMessages: 10_000,
  maxTools: 1000,
  maxServerTools: 0,
  stallTimeoutMs: 60_000,
  // Bun closes a connection after ten seconds of silence.
  keepAliveMs: 5000,
};

const LIMIT_NAMES: OptionNames<ProxyLimits> = {
  maxBodyBytes: true,
  bodyTimeoutMs: true,
  maxDepth: true,
  maxMessages: true,
  maxTools: true,
  maxServerTools: true,
  maxTokens: true,
  maxInputTokens: true,
  timeoutMs: true,
  stallTimeoutMs: true,
  keepAliveMs: true,
};

const DURATIONS = ["bodyTimeoutMs", "stallTimeoutMs", "keepAliveMs", "timeoutMs"] as const;

const COUNTS = ["maxBodyBytes", "maxDepth", "maxMessages", "maxTools", "maxServerTools"] as const;

/** The Responses API rejects a smaller `max_output_tokens` (OpenAI, API reference, 2026-11). */
const MIN_MAX_TOKENS = 16;

/** @throws ConfigError for a limit that cannot be enforced */
export function resolveLimits(given: ProxyLimits = {}): ResolvedLimits {
  checkOptionNames("limits", given, LIMIT_NAMES);
  const limits: ResolvedLimits = { ...DEFAULT_LIMITS, ...withoutUndefined(given) };
  for (const name of DURATIONS) {
    const duration = limits[name];
    if (duration !== undefined) checkDuration(`limits.${name}`, duration);
  }
  for (const name of COUNTS)
    if (!(typeof limits[name] === "number" && limits[name] >= 0))
      throw new ConfigError(`limits.${name} must be a number of 0 or more, not ${nameValue(limits[name])}`);
  const { maxTokens, maxInputTokens } = limits;
  if (maxInputTokens !== undefined && !(maxInputTokens > 0))
    throw new ConfigError(`limits.maxInputTokens must be a number above 0, got ${maxInputTokens}`);
  if (maxTokens === Number.POSITIVE_INFINITY) delete limits.maxTokens;
  else if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && maxTokens >= MIN_MAX_TOKENS)) {
    throw new ConfigError(`limits.maxTokens must be an integer of at least ${MIN_MAX_TOKENS}, got ${maxTokens}`);
  }
  return limits;
}

/** A limit that is explicitly undefined has its default. */
function withoutUndefined(limits: ProxyLimits): Partial<Complete<ProxyLimits>> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
