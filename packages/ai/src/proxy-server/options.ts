/** How a proxy is set up. */

import type { AssistantMessageEventStream } from "../event-stream/assistant-message-event-stream.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage, Usage } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";

type MaybePromise<TValue> = TValue | Promise<TValue>;

/** True or a caller: may go on. False: 401. `"forbidden"`, for somebody who is known but may not: 403. */
export type ProxyAuthorization<TCaller> = boolean | "forbidden" | { caller: TCaller };

/** Bounds on what a client can ask for. `Infinity` milliseconds mean no bound; negative ones are refused. */
export interface ProxyLimits {
  /** Largest request body in bytes. Default 20 MiB: images travel inside. */
  maxBodyBytes?: number;
  /** Milliseconds in which the whole body has to arrive. Default 30,000. */
  bodyTimeoutMs?: number;
  /** Deepest nesting of the body. Default 100. */
  maxDepth?: number;
  /** Most messages in a conversation. Default 10,000. */
  maxMessages?: number;
  /** Most tools. Default 1,000. */
  maxTools?: number;
  /**
   * Most tokens that a request may generate, reasoning included, whatever the client asks for; at least 16. A model whose
   * api has no field for the limit (`openai-codex-responses`) is refused with 403. Default: the model's own limit.
   */
  maxTokens?: number;
  /** Milliseconds for a whole call of the provider. Default: none. */
  timeoutMs?: number;
  /** Milliseconds in which a client has to take what waits for it. Default 60,000. */
  stallTimeoutMs?: number;
  /** Milliseconds of silence after which a comment keeps the connection alive. Default 5,000; 0 = never. */
  keepAliveMs?: number;
}

/** One call, for the bill. */
export interface ProxyUsage<TCaller = unknown> {
  /** What `authorize` made of the token. */
  caller: TCaller | undefined;
  /** The model that was called. */
  model: Model;
  /** The final message: its `usage` holds counts and cost as far as the provider told them, its `stopReason` the end. */
  message: AssistantMessage;
  /** The client was gone before the end. The provider may still charge for what it had begun. */
  clientLeft: boolean;
  /**
   * Whether `message.usage` is the provider's last word: the answer is whole and was counted, or the provider refused the
   * request. False for what was left, broke off, or was never counted.
   */
  complete: boolean;
  /**
   * Where the counts are not complete: what the call may come to, as far as that can be guessed from what was sent and what
   * streamed. What the provider told stays; four characters make a token of the rest, an image 1,200.
   */
  estimate?: Usage;
}

/** Who may call which models, with whose keys, and who is told. */
export interface ProxyHandlerOptions<TCaller = unknown> {
  /** The token that clients send, or several, compared in constant time; or a function that knows the product's sessions. */
  authorize:
    | string
    | readonly string[]
    | ((token: string, request: Request) => MaybePromise<ProxyAuthorization<TCaller>>);
  /** `"provider/id"` for each model that may be called, `"provider/*"` for all of a provider; or a function. */
  allowModels: readonly string[] | ((model: Model, caller: TCaller | undefined) => MaybePromise<boolean>);
  /** A provider's key. Default: the provider's environment variable. */
  getApiKey?: (provider: string, caller: TCaller | undefined) => MaybePromise<string | undefined>;
  /** Bounds on bodies, conversations and time. */
  limits?: ProxyLimits;
  /** Headers that a client may add to the provider's request, by name. Default: none. Credentials are never taken. */
  allowHeaders?: readonly string[];
  /**
   * Origins whose pages may ask, such as `"https://app.example.com"`, or `"*"`. Default: only those of the server's own
   * origin, whom a browser lets ask anyway.
   */
  allowOrigins?: readonly string[];
  /** Called once for each call of a provider, when it is over. */
  onUsage?: (usage: ProxyUsage<TCaller>) => MaybePromise<void>;
  /** Told what the functions above throw; such a request is answered with status 500 and no details. */
  onError?: (error: unknown) => void;
  /** Finds a model by provider and id. Default: the catalogue and what was added by `registerModels`. */
  getModel?: (provider: string, id: string) => Model | undefined;
  /** Calls the model. Default: `streamSimple`. */
  streamFn?: (
    model: Model,
    context: Context,
    options: SimpleStreamOptions,
  ) => MaybePromise<AssistantMessageEventStream>;
}

/** What the runtime offers beside the request; that of a Cloudflare worker's third argument, for example. */
export interface ProxyRuntime {
  /** Keeps a worker alive until the promise is settled: the bill of a client that left. */
  waitUntil?: (promise: Promise<unknown>) => void;
}

/** Answers one request. */
export type ProxyHandler = (request: Request, runtime?: ProxyRuntime) => Promise<Response>;
