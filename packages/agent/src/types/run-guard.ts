/** The interface between a run and what limits it. `limits` of pi-agent/limits implements it. */
import type { AssistantMessage, Context, Message, ToolResultMessage } from "pi-ai";
import type { AgentEvent } from "./event.js";
import type { RunStop } from "./limit-event.js";
import type { AgentToolCall } from "./message.js";
import type { ModelRequest } from "./model-request.js";
import type { AnyAgentTool } from "./tool.js";

/** The parts of a run that its guard needs. */
export interface GuardedRun {
  /** Emits an event of the run. Returns a promise only if a listener does. */
  emit(event: AgentEvent): Promise<void> | undefined;
  /** Returns the Unix time in milliseconds. */
  now(): number;
  /** Returns the messages of a request that is about to be sent, without a copy: the array grows with the next request. */
  peek(context: Context): readonly Message[];
  /** Whether the run must end with a typed output. */
  readonly hasOutput: boolean;
}

/** A permission for one request. */
export interface GuardedRequest {
  /** The request to send. */
  request: ModelRequest;
  /** Must be called once, when the request has ended; without a response if there was none. */
  settle(response?: AssistantMessage): void;
}

/** What a guard decides after a turn. */
export interface TurnVerdict {
  /** Ends the run, for this reason. */
  stop?: RunStop;
  /** A text that is sent to the model as a user message, if the run continues. */
  nudge?: string;
}

/** Limits one run. */
export interface RunGuard {
  /** Called before each request. Returns a permission, if need be after other requests end, or the reason to end the run. */
  beforeRequest(
    request: ModelRequest,
    signal: AbortSignal | undefined,
  ): GuardedRequest | RunStop | Promise<GuardedRequest | RunStop>;
  /** Counts a response that an earlier process of a durable run received. */
  countRemembered(response: AssistantMessage): void;
  /** Called for each call with valid arguments, before hooks. Returns the text of an error result if the call must not run. */
  beforeToolCall(toolCall: AgentToolCall, tool: AnyAgentTool): string | undefined;
  /** Called when queued messages come before the next turn. They may change what the model does, so loops count anew. */
  seeMessages(): void;
  /** Called after the `turn_end` of each turn. */
  afterTurn(
    message: AssistantMessage,
    toolResults: readonly ToolResultMessage[],
  ): TurnVerdict | undefined | Promise<TurnVerdict | undefined>;
}

/** Creates the guard of each run. */
export interface RunLimits {
  /**
   * Creates the guard of a run.
   *
   * @param parent the guard of the run whose tool runs this agent
   */
  begin(run: GuardedRun, parent?: object): RunGuard;
}
