/** The configuration of a run: the model, hooks and limits. */
import type {
  AssistantMessage,
  AssistantMessageEvent,
  Context,
  Message,
  Model,
  ModelThinkingLevel,
  SimpleStreamOptions,
  ToolResultMessage,
} from "pi-ai";
import type { AgentContext } from "./agent-context.js";
import type { AgentMessage } from "./message.js";
import type { ModelRequest } from "./model-request.js";
import type { AgentOutput } from "./output.js";
import type { RunLimits } from "./run-guard.js";
import type { RunSteps } from "./run-steps.js";
import type { ServerToolHandlers } from "./server-tool.js";
import type { ToolExecutionMode } from "./tool.js";
import type { ToolCallHooks } from "./tool-call-hooks.js";

/** The stream of one response: any async iterable of events with a `result()`, such as pi-ai's own streams. */
export interface AssistantResponseStream extends AsyncIterable<AssistantMessageEvent> {
  /** The final message. May settle later than the last event; the run waits as long as `idleTimeoutMs` allows. */
  result(): Promise<AssistantMessage>;
}

/**
 * Sends a request to a model; `streamSimple` of pi-ai is such a function. It should report failures of the request as the
 * stream's `error` event; if it throws, the run ends as an error.
 */
export type StreamFn = (
  model: Model,
  context: Context,
  options?: SimpleStreamOptions,
) => AssistantResponseStream | Promise<AssistantResponseStream>;

/**
 * Surrounds one request to the model, from before it is sent until its response has ended. It returns the response of
 * `send`, or another one, for example from a cache, which is then emitted without deltas. An error that it throws ends the
 * run with an error message. After an abort it has 5 ms to end.
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
 * Transforms the conversation for one request.
 *
 * @param add adds a message to the conversation itself, before the response: it is emitted, and session logs store it. It
 *   throws after the hook has ended. Absent in a durable run, which does not call the hook again when it repeats a request.
 * @returns the messages of this request only
 */
export type TransformContextHook = (
  messages: AgentMessage[],
  signal?: AbortSignal,
  add?: (message: AgentMessage) => Promise<void>,
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

type MaybePromise<TValue> = TValue | Promise<TValue>;

/** Limits of a run. Only `maxRepeats` is set by default; 0 means no limit. */
export interface AgentLimits {
  /** The maximum number of tools of a parallel batch that run at the same time. */
  maxParallelTools?: number;
  /** Timeout of one tool call in milliseconds; the call then gets an error result. A tool may have its own. */
  toolTimeoutMs?: number;
  /**
   * The maximum number of responses in one run. Each continuation of a paused response counts, too. A run that needs more
   * ends with an error message.
   */
  maxTurns?: number;
  /**
   * The maximum number of identical rounds in a row. A round is the tool calls of one response with their results. A run
   * that reaches the maximum ends with an error message and the event `run_stopped`. A round with a tool that `polls`, or a
   * queued message, resets the count. Default 10.
   */
  maxRepeats?: number;
}

/** Hooks of a run. An error in one ends the run with an error message, except in the tool hooks. */
export interface AgentLoopHooks extends ToolCallHooks {
  /** Transforms the conversation for one request, before `convertToLlm`. */
  transformContext?: TransformContextHook;
  /** Returns the API key for each request; if it returns none, `apiKey` is used. */
  getApiKey?: (provider: string) => MaybePromise<string | undefined>;
  /** Called after each successful turn. True ends the run; queued messages stay queued. */
  shouldStopAfterTurn?: (context: ShouldStopAfterTurnContext) => MaybePromise<boolean>;
  /** Called after each successful turn, including the last; may change the context, model or thinking level. */
  prepareNextTurn?: (
    context: PrepareNextTurnContext,
    signal?: AbortSignal,
    // biome-ignore lint/suspicious/noConfusingVoidType: as for BeforeToolCallHook.
  ) => MaybePromise<AgentLoopTurnUpdate | undefined | void>;
  /** Surrounds each request to the model. */
  wrapModelCall?: WrapModelCallHook;
}

/** The configuration of a run: options for each request, hooks and limits. */
export interface AgentLoopConfig extends SimpleStreamOptions, AgentLoopHooks, AgentLimits {
  /** The model. */
  model: Model;
  /** Converts the conversation to messages for the model, once per request. */
  convertToLlm: (messages: AgentMessage[]) => MaybePromise<Message[]>;
  /**
   * Returns messages for the next turn. Called at the start and after each successful turn, except after a paused response,
   * whose continuation must follow it directly.
   */
  getSteeringMessages?: () => MaybePromise<AgentMessage[]>;
  /** Returns messages to continue with when the run would otherwise end. */
  getFollowUpMessages?: () => MaybePromise<AgentMessage[]>;
  /** Makes the run end with an object that fits a schema, emitted as the event `output`. */
  output?: AgentOutput;
  /** Default `"parallel"`. */
  toolExecution?: ToolExecutionMode;
  /** Runs the server tools that wait for the application, by name. A tool without a handler gets an error result. */
  serverToolHandlers?: ServerToolHandlers;
  /** Stores the steps of the run, so that another process can continue it. Created by `durable` of pi-agent/durable. */
  runSteps?: RunSteps;
  /** Limits each run. Created by `limits` of pi-agent/limits. */
  runLimits?: RunLimits;
}
