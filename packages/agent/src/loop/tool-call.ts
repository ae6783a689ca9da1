/**
 * One tool call. Its life:
 * 1. `prepareToolCall` finds its tool, checks its arguments and asks `beforeToolCall`. The call is `prepared` then, or `refused`:
 *    it has an outcome, and its tool never runs.
 * 2. Hooks that decide about all calls of a response at once may refuse it, too (`tool-batch.ts`).
 * 3. `executeTool` runs the tool of a prepared call, with the hooks around it, and makes the outcome.
 * 4. The outcome becomes the result; or the mark of a call that waits for people, which a later run prepares once more.
 *
 * An error of a tool or a hook becomes the outcome; only the engine of a durable run throws. After an abort a call that has not ended
 * gets an error result, and its later result is dropped.
 */
import type { AssistantMessage } from "pi-ai";
import type { WatchedArguments } from "pi-ai/validation";
import type { AbortGate } from "../abort-gate.js";
import type { CallSettings } from "../settings.js";
import type { SideUsage } from "../side-usage.js";
import type { AgentContext } from "../types/agent-context.js";
import type { AgentToolCall } from "../types/message.js";
import type { ParentRun } from "../types/parent-run.js";
import type { PausedCall } from "../types/pause.js";
import type { RunSteps } from "../types/run-steps.js";
import type {
  AgentToolCallOutcome,
  AgentToolResult,
  AnyAgentTool,
  ServerToolHandlers,
  StepToolCall,
} from "../types/tool.js";
import type { ToolCallHooks } from "../types/tool-call-hooks.js";

/** The parts of a run that a call needs. For a call outside of a run, `runToolCall` makes them. */
export interface ToolRun {
  readonly gate: AbortGate;
  readonly steps: RunSteps;
  /** The values that must not appear in the text of an error result. */
  secrets(): readonly string[];
  /** They are closed if the run is over or failing: no tool may start. */
  readonly events?: { readonly closed: boolean };
  /** Passed to tools. */
  readonly asParent?: ParentRun;
  /** Counts the usage of agents that tools run. */
  readonly sideUsage?: SideUsage;
  /** Unix time in milliseconds. */
  now?(): number;
}

/** The calls of one response are a batch. This is what they share. */
export interface ToolBatch<TRun extends ToolRun = ToolRun> {
  readonly run: TRun;
  readonly assistantMessage: AssistantMessage;
  readonly context: AgentContext;
  readonly callSettings: CallSettings;
  readonly serverToolHandlers?: ServerToolHandlers | undefined;
  /** Tools of middleware, which the hooks of tool calls do not see. */
  readonly hiddenTools?: readonly AnyAgentTool[] | undefined;
  /** The calls that have paused in an earlier run, by their ids. */
  readonly pausedCalls?: ReadonlyMap<string, PausedCall> | undefined;
  /** Whether the user has written a message since: a call that would wait is declined. */
  readonly hasNewMessage?: boolean | undefined;
  /** Receives what a running tool reports. Never throws or rejects; a promise is waited for when the tool has ended. */
  report(toolCall: AgentToolCall, partialResult: AgentToolResult): Promise<void> | undefined;
}

/** A call whose tool is found. Its arguments are still those of the model. */
export interface FoundToolCall {
  readonly stage: "found";
  readonly toolCall: AgentToolCall;
  readonly tool: AnyAgentTool;
  /** See {@link PreparedToolCall}. */
  readonly isHidden: boolean;
}

/** A call that is ready to run. */
export interface PreparedToolCall extends StepToolCall {
  readonly stage: "prepared";
  // biome-ignore lint/suspicious/noExplicitAny: arguments have the shape of the tool's own schema.
  args: any;
  /** The tool is one of middleware, such as that of a typed output, and the hooks of tool calls do not see it. */
  readonly isHidden: boolean;
  /** Finds what hooks have changed. Only for a tool whose parameters have rules of a library. */
  readonly watched?: WatchedArguments | undefined;
}

/** A call that must not run. */
export interface RefusedToolCall {
  readonly stage: "refused";
  readonly outcome: AgentToolCallOutcome;
  /** The call is wrong: there is no such tool, the arguments are invalid, or the response was cut. */
  readonly isRejected: boolean;
}

/** A call on its way to its tool. */
export type StagedToolCall = PreparedToolCall | RefusedToolCall;

/** Refuses a call because of a person, a hook or an abort. */
export function refuse(outcome: AgentToolCallOutcome): RefusedToolCall {
  return { stage: "refused", outcome, isRejected: false };
}

/** Refuses a call that is wrong. */
export function reject(outcome: AgentToolCallOutcome): RefusedToolCall {
  return { stage: "refused", outcome, isRejected: true };
}

type CallHooks = Pick<CallSettings, keyof ToolCallHooks>;

const NO_HOOKS: CallHooks = { beforeToolCall: undefined, wrapToolCall: undefined, afterToolCall: undefined };

/** Tools of middleware have no hooks. */
export function hooksOf({ isHidden }: PreparedToolCall, { callSettings }: ToolBatch): CallHooks {
  return isHidden ? NO_HOOKS : callSettings;
}
