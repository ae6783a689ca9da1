/** The hooks around requests, and what they can ask of their run. */
import type {
  AssistantMessage,
  Context,
  Message,
  Model,
  ModelThinkingLevel,
  SimpleStreamOptions,
  StreamFn,
  ToolResultMessage,
} from "pi-ai";
import type { AgentContext } from "./agent-context.js";
import type { AgentMessage } from "./message.js";
import type { ModelRequest } from "./model-request.js";

export type { AssistantResponseStream, StreamFn } from "pi-ai";

/** A request that a hook sends beside the conversation, such as that for a summary. */
export interface SideRequest {
  /** The model. It may be of another provider than that of the run. */
  model: Model;
  /** The system prompt and the messages. They are sent as they are: see {@link HookRun.toLlm}. */
  context: Context;
  /**
   * Options that replace those of the run. Without them the request has the run's key and its options, except those that
   * concern the conversation: `reasoning`, `temperature`, `maxTokens`, `sessionId`, `toolChoice`, `outputFormat`,
   * `contextManagement`. For a model of another provider, `getApiKey` is asked, and neither `apiKey` nor `headers` nor
   * options of a single api are passed on.
   */
  options?: SimpleStreamOptions;
  /** Sends the request. Default: the stream function of the run. */
  streamFn?: StreamFn;
}

/** The run that calls `transformContext` or `wrapModelCall`. */
export interface HookRun {
  /** The model of the next request. */
  readonly model: Model;
  /** The run's own conversation. Read only. */
  readonly messages: readonly AgentMessage[];
  /** In `wrapModelCall`: whether the request is a {@link SideRequest}. */
  readonly isSide: boolean;
  /** Returns the time in Unix milliseconds. */
  now(): number;
  /**
   * Builds the request of this turn again, through `transformContext`, `convertToLlm` and `getApiKey`, for a hook that has
   * changed what they return.
   */
  prepare(): Promise<ModelRequest>;
  /** Passes messages through `transformContext`, without its `add`, and `convertToLlm`. */
  toLlm(messages: readonly AgentMessage[]): Promise<Message[]>;
  /**
   * Sends a request beside the conversation, through `wrapModelCall` and the limits of the run, and returns its response.
   * It emits nothing. Its usage becomes a part of the next response, as the diagnostic `side_requests`, which `sumUsage`
   * counts.
   *
   * Rejects if a limit refuses it, with the error of the stream function, and on an abort.
   */
  request(request: SideRequest): Promise<AssistantMessage>;
}

/**
 * Surrounds one request to the model, from before it is sent until its response has ended. It returns the response of
 * `send`, or another one, for example from a cache, which is then emitted without deltas. An error that it throws ends the
 * run with an error message. After an abort it has 5 ms to end.
 *
 * @param send sends a request, emits the response as it arrives, and resolves with it, even if it failed: see its
 *   `stopReason`. Rejects with the error that the stream function threw, with a `ProtocolError` for a stream that breaks
 *   its contract, and with an `AbortedError` when the stream does not end soon after an abort. May be called again, for
 *   example with another model, as long as no part of a response has been emitted; after that it rejects.
 * @param run the run; a hook that calls another one passes it on. The hook is also called for requests that hooks send
 *   beside the conversation, with `isSide`
 */
export type WrapModelCallHook = (
  request: ModelRequest,
  send: (request: ModelRequest) => Promise<AssistantMessage>,
  signal?: AbortSignal,
  run?: HookRun,
) => Promise<AssistantMessage>;

/**
 * Transforms the conversation for one request.
 *
 * @param add adds a message to the conversation itself, before the response: it is emitted, and session logs store it. It
 *   throws after the hook has ended. Absent in a durable run, which does not call the hook again when it repeats a request,
 *   and while a response is open
 * @param run the run; a hook that calls another one passes it on
 * @returns the messages of this request only
 */
export type TransformContextHook = (
  messages: AgentMessage[],
  signal?: AbortSignal,
  add?: (message: AgentMessage) => Promise<void>,
  run?: HookRun,
) => Promise<AgentMessage[]>;

/** A turn that has just ended. */
export interface ShouldStopAfterTurnContext {
  /** The response of the turn. */
  message: AssistantMessage;
  /** The results of its tool calls, in their order. */
  toolResults: ToolResultMessage[];
  /** The run's own conversation. */
  context: AgentContext;
  /** The new messages of the run so far. */
  newMessages: AgentMessage[];
}

/** The turn that has just ended, for `prepareNextTurn`. */
export type PrepareNextTurnContext = ShouldStopAfterTurnContext;

/** Changes for the rest of the run; an omitted field stays as it is. */
export interface AgentLoopTurnUpdate {
  /** Another conversation. */
  context?: AgentContext;
  /** Another model. */
  model?: Model;
  /** Another thinking level. */
  thinkingLevel?: ModelThinkingLevel;
}
