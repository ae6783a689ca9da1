/** The events of a run. */
import type { AssistantMessageEvent, ToolResultMessage, Usage } from "pi-ai";
import type { AgentMessage, AgentToolCall } from "./message.js";
import type { Pause } from "./pause.js";

/**
 * The events of a run. In every run:
 *
 * 1. `agent_start` comes first, `agent_end` last.
 * 2. A turn is one response and its tool calls: `turn_start`, messages, tool events, `turn_end`. A failure between
 *    two turns has a turn of its own.
 * 3. `message_update` occurs for responses only, between their `message_start` and `message_end`.
 * 4. Every `tool_execution_start` has one `tool_execution_end`. Results follow as messages, in the order of the calls.
 *
 * If the engine of a durable run fails, the run emits nothing more, because another process may have taken it over.
 *
 * Payloads are shared with the transcript and must not be changed.
 */
export type AgentEvent = ReplayMark & AgentEventBody;

/** Marks the events of a durable run that an earlier process has emitted. */
export interface ReplayMark {
  /**
   * True if the event repeats one of an earlier process: the step before it was remembered. A listener that delivers or
   * stores something skips it. The earlier process may have died before it emitted the last of these events.
   */
  replayed?: true;
}

/** The events of a run without the mark. */
export type AgentEventBody =
  /**
   * `newMessage` is set if calls of an earlier run have waited for answers and the user has written a message since: what
   * becomes of these calls comes first, and belongs before that message.
   */
  | { type: "agent_start"; newMessage?: true }
  /**
   * `messages` are the new messages of the run. `sideUsages` is what requests after the last response have used, such as those
   * of `afterTurn`: no message of the run names it. The first response of the agent's next run does, or the result of
   * the call if a tool runs the agent. `pause` is set if the run ended because it needs answers.
   */
  | { type: "agent_end"; messages: AgentMessage[]; sideUsages?: Usage[]; pause?: Pause }
  | { type: "turn_start" }
  | { type: "turn_end"; message: AgentMessage; toolResults: ToolResultMessage[] }
  | { type: "message_start"; message: AgentMessage }
  | { type: "message_update"; message: AgentMessage; assistantMessageEvent: AssistantMessageEvent }
  | { type: "message_end"; message: AgentMessage }
  /** The typed output of the run. Follows the `turn_end` of the response that contains it. */
  | { type: "output"; output: unknown }
  | ToolExecutionEvent
  | ApprovalEvent
  | LimitEvent
  | ChildEvent;

/** An event of an agent that a tool runs, between the call's start and its end. Children of children are nested. */
export interface ChildEvent {
  type: "child_event";
  /** The id of the tool call. */
  parentToolCallId: string;
  /** The name of the tool. */
  toolName: string;
  /** The event of the child. */
  event: AgentEvent;
}

/** The events of a tool call that needs an approval. Between the call's start and its end. */
export type ApprovalEvent =
  | { type: "approval_requested"; request: ApprovalRequest }
  /** `reason` comes from the answer if it declined. */
  | { type: "approval_resolved"; request: ApprovalRequest; approved: boolean; reason?: string };

/** `args` are the arguments as the model sent them, before `prepareArguments` and validation. */
export type ToolExecutionEvent =
  // biome-ignore lint/suspicious/noExplicitAny: arguments and results have the shapes of the application's own tools.
  | { type: "tool_execution_start"; toolCallId: string; toolName: string; args: any }
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  | { type: "tool_execution_update"; toolCallId: string; toolName: string; args: any; partialResult: any }
  | {
      type: "tool_execution_end";
      toolCallId: string;
      toolName: string;
      // biome-ignore lint/suspicious/noExplicitAny: as above.
      result: any;
      isError: boolean;
      /** How long the tool ran, in milliseconds; absent if it never did. */
      durationMs?: number;
      /** True if the call has no result yet, because it waits for an answer. It starts again when the conversation goes on. */
      isWaiting?: true;
    };

/** Receives the events of a run. The run waits for the promise that it returns. */
export type AgentEventSink = (event: AgentEvent) => void | Promise<void>;

/** Receives the events of an {@link Agent} and the signal of the run. The run waits for the promise that it returns. */
export type AgentListener = (event: AgentEvent, signal: AbortSignal) => void | Promise<void>;

/** The quantities that a budget counts: US dollars, tokens, tool calls, requests, and milliseconds. */
export type BudgetLimit = "usd" | "tokens" | "toolCalls" | "turns" | "ms";

/**
 * How a run repeats itself. A round is the tool calls of one response with their results.
 *
 * - `same_call`: the same round again.
 * - `cycle`: the same sequence of two to four rounds again.
 * - `invalid_arguments`: rounds whose calls are all rejected before they run.
 * - `same_text`: responses with the same text, without new results.
 * - `no_progress`: rounds without new results, or whose calls all fail with the same errors.
 */
export type LoopKind = "same_call" | "cycle" | "invalid_arguments" | "same_text" | "no_progress";

/** Why a limit ended a run. `used` and `most` are in the unit of `limit`: USD, milliseconds, or a count. */
export type RunStop =
  /** `estimated`: what the next request would have used, if it was estimated not to fit into what is left. */
  | { by: "budget"; limit: BudgetLimit; used: number; most: number; estimated?: number }
  | { by: "loop"; loop: LoopKind; repeats: number };

/** The events of limits. */
export type LimitEvent =
  /** A limit of a budget is nearly reached. Emitted once for each limit of a budget. */
  | { type: "budget_warning"; limit: BudgetLimit; used: number; most: number }
  /** The run repeats itself. The count then starts over, so the event can come again. */
  | { type: "loop_noticed"; loop: LoopKind; repeats: number }
  /** A limit has ended the run. Comes right before `agent_end`. */
  | { type: "run_stopped"; stop: RunStop };

/** A tool call that needs an approval before it runs. */
export interface ApprovalRequest {
  /** Unique in a run. In a durable run, the name under which an {@link ApprovalAnswer} is sent. */
  name: string;
  /** The id of the call. */
  toolCallId: string;
  /** The name of its tool. */
  toolName: string;
  /** The validated arguments that the tool will receive. */
  args: AgentToolCall["arguments"];
}

/** The answer to an {@link ApprovalRequest}. Anything but `approved: true` declines. */
export interface ApprovalAnswer {
  /** Whether the tool may run. */
  approved: boolean;
  /** Why the call was declined, for the model. */
  reason?: string;
}
