/** A request to a model, and the hooks around it. */
import type {
  AssistantMessage,
  Context,
  Model,
  ModelThinkingLevel,
  SimpleStreamOptions,
  StreamFn,
  ToolResultMessage,
} from "pi-ai";
import type { AgentContext } from "./agent-context.js";
import type { AgentMessage } from "./message.js";

export type { AssistantResponseStream, StreamFn } from "pi-ai";

/** A request that a middleware sends beside the conversation, such as that for a summary. */
export interface SideRequest {
  /** The model. It may be of another provider than that of the run. */
  model: Model;
  /** The system prompt and the messages. They are sent as they are: see `toLlm` of the run. */
  context: Context;
  /**
   * Options that replace those of the run. Without them the request has the run's key and its options, except those that
   * concern the conversation: `reasoning`, `thinkingBudgets`, `temperature`, `topP`, `seed`, `stopSequences`, `verbosity`, `maxTokens`,
   * `sessionId`, `toolChoice`, `parallelToolCalls`, `outputFormat`, `contextManagement`. For a model of another provider,
   * `getApiKey` is asked, and neither `apiKey` nor `headers`, `metadata` and options of a single api are passed on.
   */
  options?: SimpleStreamOptions | undefined;
  /** Sends the request. Default: the stream function of the run. */
  streamFn?: StreamFn | undefined;
}

/**
 * Surrounds one request to the model, from before it is sent until its response has ended. It returns the response of
 * `send`, or another one, for example from a cache, which is then emitted without deltas. An error that it throws ends the
 * run with an error message. After an abort it has 5 ms to end. Requests that middleware sends beside the conversation pass
 * through it, too: their `origin` is set.
 *
 * @param send sends a request, emits the response as it arrives, and resolves with it, even if it failed: see its
 *   `stopReason`. Rejects with the error that the stream function threw, with a `ProtocolError` for a stream that breaks
 *   its contract, and with an `AbortedError` when the stream does not end soon after an abort. May be called again, for
 *   example with another model, as long as no part of a response has been emitted; after that it rejects.
 */
export type WrapModelCallHook = (
  request: ModelRequest,
  send: (request: ModelRequest) => Promise<AssistantMessage>,
  signal?: AbortSignal,
) => Promise<AssistantMessage>;

/**
 * Transforms the conversation for one request. It does not change the conversation: its result should depend on the messages
 * only, because a request that is built again passes through it again.
 *
 * @returns the messages of this request
 */
export type TransformContextHook = (messages: AgentMessage[], signal?: AbortSignal) => Promise<AgentMessage[]>;

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

/** One request to the model, for `wrapModelCall`. */
export interface ModelRequest {
  /** The model. */
  model: Model;
  /** The system prompt, the messages after `convertToLlm`, and the tools. */
  context: Context;
  /** The options of the request, with the API key and the signal. */
  options: SimpleStreamOptions;
  /** The name of the middleware that sends the request beside the conversation. Absent for the request of a turn. */
  origin?: string | undefined;
}
