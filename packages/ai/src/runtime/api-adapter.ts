/**
 * What a wire protocol is: how to ask, how to send, and what each wire event means. Everything that protocols have in
 * common (keys, hooks, retries, timeouts, abort, failure) is the driver's, see `run-adapter.ts`.
 */
import type { MessageSink } from "../assemble/message-sink.js";
import type { RetryDelayReader } from "../transport/retry-after.js";
import type { SendContext, WireRequest, WireResponse } from "../transport/wire-request.js";
import type { Context } from "../types/context.js";
import type { Api, Model } from "../types/model.js";
import type { SimpleStreamOptions, StreamOptions } from "../types/options.js";

/** One call. */
export interface ModelRequest<TOptions extends StreamOptions = StreamOptions> {
  /** The model that is asked. */
  model: Model;
  /** What it is given. */
  context: Context;
  /** The API's own options. */
  options: TOptions;
  /** The caller's key, else the one from the environment; empty where the protocol can do without. */
  apiKey: string;
  /** The key came from a variable that holds a token to be sent as `Authorization: Bearer`. */
  keyIsBearer: boolean;
}

/**
 * Turns wire events into sink operations; made anew for each attempt. Returns true when the answer is over, and nothing
 * after that event may belong to it. Throws a `PiError` for an error event.
 */
export interface WireMapping {
  (event: unknown, sink: MessageSink): boolean;
  /** The body is over: the last chance to say that the answer is whole. */
  end?(sink: MessageSink): void;
}

/** A wire protocol, as {@link createApiProvider} takes it. */
export interface ApiAdapter<TOptions extends StreamOptions = StreamOptions> {
  /** The name of the protocol: what a model's `api` says. */
  readonly api: Api;
  /** Whether a call without an API key can work (ambient credentials). */
  readonly keyOptional?: boolean;
  /** Whether the option `client` brings a client of the vendor's SDK, with its own credentials. */
  readonly takesClient?: boolean;
  /** The error text of an answer that ends before the protocol's end marker. */
  readonly endedEarly: string;
  /**
   * The api's own options, beside those of `StreamOptions`. Where it is given, an option that is neither is reported in a
   * diagnostic of the message.
   */
  readonly ownOptions?: Readonly<Record<Exclude<keyof TOptions, keyof StreamOptions>, true>>;
  /** Makes the HTTP requests where the caller brings no `fetch`. Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** Where a failed answer says how long to wait, if not in the `retry-after` headers alone. */
  readonly retryDelay?: RetryDelayReader;
  /** Options that mean the same everywhere to this protocol's own. Pure. */
  simpleOptions(model: Model, options: SimpleStreamOptions): TOptions;
  /** Everything that is sent. Pure. */
  buildRequest(request: ModelRequest<TOptions>): WireRequest;
  /** Sends it, usually through the vendor's SDK. */
  send(wireRequest: WireRequest, request: ModelRequest<TOptions>, io: SendContext): Promise<WireResponse>;
  /** What the events of the answer mean; asked anew for each attempt. */
  createMapping(request: ModelRequest<TOptions>, wireRequest: WireRequest): WireMapping;
}
