/** The interface between a run and its limits. `limits` of pi-agent/limits implements it. */
import type { AssistantMessage, Context, Message, ToolResultMessage } from "pi-ai";
import type { AgentEvent } from "./event.js";
import type { RunStop } from "./limit-event.js";
import type { AgentToolCall } from "./message.js";
import type { ModelRequest } from "./model-request.js";
import type { AnyAgentTool } from "./tool.js";

/** The parts of a run that its guard uses. */
export interface GuardedRun {
  /** Emits an event of the run. */
  emit(event: AgentEvent): Promise<void> | undefined;
  /** Unix time in milliseconds. */
  now(): number;
  /** The messages of a request that is about to be sent. Not a copy: the array grows with the next request. */
  peek(context: Context): readonly Message[];
  /** Whether the run must end with a typed output. */
  readonly hasOutput: boolean;
}

/** A permission for one request. */
export interface GuardedRequest {
  /** The request to send. */
  request: ModelRequest;
  /** Called when the request has ended, without a response if there was none. */
  settle(response?: AssistantMessage): void;
}

/** The consequences of a turn. */
export interface TurnVerdict {
  /** Ends the run. */
  stop?: RunStop;
  /** A text for the model. Sent if the run goes on. */
  nudge?: string;
}

/** Limits one run. */
export interface RunGuard {
  /** Called before each request. May wait for other requests that share a limit. A {@link RunStop} ends the run. */
  beforeRequest(
    request: ModelRequest,
    signal: AbortSignal | undefined,
  ): GuardedRequest | RunStop | Promise<GuardedRequest | RunStop>;
  /** Counts a response that another process of a durable run requested. */
  countRemembered(response: AssistantMessage): void;
  /** Called for each call with valid arguments, before hooks. A text refuses the call. */
  beforeToolCall(toolCall: AgentToolCall, tool: AnyAgentTool): string | undefined;
  /** Called when queued messages precede the next turn. Repetition starts anew after them. */
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
