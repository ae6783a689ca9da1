/**
 * The interface of an adapter: build the request of an api, send it, and map its wire events. `run-adapter.ts` drives
 * it, and does what all apis have in common: keys, hooks, retries, timeouts, abort and failure.
 */

import type { OutputRow, ToolRow } from "../catalogue/compat/index.js";
import type { PiError } from "../errors.js";
import type { MessageSink, UsageCounts } from "../message/index.js";
import type { ContextManagementRows, FileRow, ServerToolRows } from "../request/index.js";
import type { RetryDelayReader, SendContext, WireRequest, WireResponse } from "../transport/index.js";
import type { Context } from "../types/context.js";
import type { FileContent, ImageContent } from "../types/message.js";
import type { Api, Model } from "../types/model.js";
import type { SimpleStreamOptions, StreamOptions } from "../types/options.js";
import type { ConversationShape } from "./alternate-roles.js";
import type { ThreadRow } from "./kept-conversation.js";
import type { ReadWhole } from "./whole-answer.js";

/** One request to a model. */
export interface ApiRequest<TOptions extends StreamOptions = StreamOptions> {
  /** The model that receives the request. */
  model: Model;
  /** The system prompt, messages and tools. */
  context: Context;
  /** The options of this api. */
  options: TOptions;
  /** The caller's key, else the one from the environment. Empty if there is none and the api does not need one. */
  apiKey: string;
  /** Whether the key came from a variable whose value is sent as `Authorization: Bearer`. */
  keyIsBearer: boolean;
}

/**
 * Turns wire events into sink operations; created for each attempt. Returns true for the event that ends the response.
 * Throws a `PiError` for an error event.
 */
export interface WireMapping {
  (event: unknown, sink: MessageSink): boolean;
  /** Called at the end of the body, where a mapping may still call `stop` on the sink to mark the response as complete. */
  end?(sink: MessageSink): void;
  /** For an api whose responses may need several requests. The mapping then lives as long as the message. */
  readonly hops?: ResponseHops;
}

/** A response that goes on with another request, a hop, where the one before has stopped. */
export interface ResponseHops {
  /** Whether the request that was read last has ended, and another one has to follow. */
  readonly isPending: boolean;
  /** The token that the next request carries; undefined before the first. The mapping leaves out what comes again. */
  readonly token: string | undefined;
  /** The usage of the last request, for the note. */
  readonly usage: UsageCounts;
  /** Another request begins: its counts add to those so far. */
  begin(): void;
}

/** The code of one api; {@link createApiProvider} takes it. */
export interface ApiAdapter<TOptions extends StreamOptions = StreamOptions> {
  /** The name of the api, as in the field `api` of a model. */
  readonly api: Api;
  /**
   * Whether a request can succeed without an API key, for example with ambient credentials, or at a server on this
   * machine.
   */
  readonly keyOptional?: boolean | "loopback";
  /** Whether the option `client` takes a client of the vendor's SDK, which has its own credentials. */
  readonly takesClient?: boolean;
  /** The error text for a response that ends before the end marker of the api. */
  readonly endedEarly: string;
  /**
   * The options of this api beyond `StreamOptions`. If present, an option that is in neither list is reported in a
   * diagnostic of the message.
   */
  readonly ownOptions?: Readonly<Record<Exclude<keyof TOptions, keyof StreamOptions>, true>>;
  /** Shared options for which the api has no field. If a caller sets one, the diagnostic `option_omitted` names it. */
  readonly omits?: readonly (keyof SimpleStreamOptions)[];
  /**
   * Sends HTTP requests if the caller passes no `fetch`. Default: the global `fetch`. The adapters of this package pass
   * `directFetch`, which is faster, and whose responses have no methods but those that the driver calls.
   */
  readonly fetch?: typeof globalThis.fetch;
  /** Reads the requested wait from a failed response, if it is not in the `retry-after` headers alone. */
  readonly retryDelay?: RetryDelayReader;
  /** Converts the options that all apis share to the options of this api. Pure. */
  simpleOptions(model: Model, options: SimpleStreamOptions): TOptions;
  /** Builds the request: URL, headers and body. Pure. */
  buildRequest(request: ApiRequest<TOptions>): WireRequest;
  /** Sends the request, usually through the vendor's SDK. */
  send(wireRequest: WireRequest, request: ApiRequest<TOptions>, io: SendContext): Promise<WireResponse>;
  /**
   * Returns the request to send instead of one that the provider found invalid, or undefined if the error stands. Called at
   * most once in a request; the driver does not count the second one as a retry.
   */
  repair?(error: PiError, wireRequest: WireRequest): Promise<WireRequest | undefined>;
  /**
   * Turns the whole answer of a server that ignores `stream: true` into the events of a stream, for the mapping. Returns
   * undefined for any other JSON object. Without it, such an answer is an error.
   */
  readonly readWhole?: ReadWhole;
  /** The request that goes on after a hop, for an api whose mapping has `hops`. */
  continueWith?(wireRequest: WireRequest, token: string): WireRequest;
  /** Creates the mapping of wire events; called for each attempt. */
  createMapping(request: ApiRequest<TOptions>, wireRequest: WireRequest): WireMapping;
}

/** The adapter of an api of this package, with what is known about its vendors. */
export interface VendorAdapter<TOptions extends StreamOptions = StreamOptions> extends ApiAdapter<TOptions> {
  /** Where a body has the conversation, for servers that demand alternating roles. Default: the api has none. */
  readonly conversation?: ConversationShape;
  /** Whether the api refuses a conversation that ends with a response, whatever the model. */
  readonly refusesPrefill?: boolean;
  /** Which models enforce a JSON Schema, and which schemas. Default: none does. */
  readonly outputRows?: readonly OutputRow[];
  /** The names and the schemas of tools that the servers of this api take. Default: all. */
  readonly toolRows?: readonly ToolRow[];
  /** Why the api does not take a file: for its address or its size. Undefined if it does. Default: it takes all. */
  readonly fileFault?: (block: ImageContent | FileContent, model: Model) => string | undefined;
  /** Takes out what a body may not name, once it has all of its tools. Default: nothing. */
  readonly settle?: (body: Record<string, unknown>) => Record<string, unknown>;
  /** How the servers of this api keep a conversation, for the option `conversation`. Default: they do not. */
  readonly thread?: ThreadRow;
  /** The files that models of this api accept beside the kinds in their `input`. Default: none. */
  readonly files?: readonly FileRow[];
  /** The tools that the providers of this api run. Default: none but those that a caller declares in the api's own terms. */
  readonly serverTools?: ServerToolRows;
  /** How the providers of this api shorten a long conversation, for the option `contextManagement`. Default: not at all. */
  readonly contextManagement?: ContextManagementRows;
}
