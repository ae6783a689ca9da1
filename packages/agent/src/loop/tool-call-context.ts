/** The data that the steps of a tool call share. */
import type { AssistantMessage } from "pi-ai";
import type { CallSettings } from "../settings/settings.js";
import type { AgentContext } from "../types/agent-context.js";
import type { AgentToolCall } from "../types/message.js";
import type { ParentRun } from "../types/parent-run.js";
import type { RunSteps } from "../types/run-steps.js";
import type { ServerToolHandlers } from "../types/server-tool.js";
import type { AgentToolCallOutcome, AgentToolExecution, AgentToolResult, AnyAgentTool } from "../types/tool.js";
import type { ToolCallHooks } from "../types/tool-call-hooks.js";
import type { AbortGate } from "./abort-gate.js";
import type { ValidateToolArguments } from "./tool-arguments.js";

/** The data that all calls of one response share. */
export interface ToolCallContext {
  assistantMessage: AssistantMessage;
  context: AgentContext;
  gate: AbortGate;
  validate: ValidateToolArguments;
  /** The values that must not appear in the text of an error result. */
  secrets: () => readonly string[];
  settings: CallSettings;
  serverToolHandlers?: ServerToolHandlers | undefined;
  /** Only in a durable run. A call then takes the same steps after an abort, so that another process can repeat them. */
  runSteps?: RunSteps | undefined;
  /** Tools of middleware, which the hooks of tool calls do not see. */
  hiddenTools?: readonly AnyAgentTool[] | undefined;
  /** Receives the ids of calls that are rejected before any hook. */
  rejectedCalls?: string[] | undefined;
  /** Passed to the tool. */
  parent?: ParentRun | undefined;
}

type CallHooks = Pick<CallSettings, keyof ToolCallHooks>;

const NO_HOOKS: CallHooks = { beforeToolCall: undefined, wrapToolCall: undefined, afterToolCall: undefined };

/** The hooks of a call. The hooks of tool calls do not see the tool of a middleware, such as that of a typed output. */
export function hooksOf(tool: AnyAgentTool, { settings, hiddenTools }: ToolCallContext): CallHooks {
  return hiddenTools?.includes(tool) ? NO_HOOKS : settings;
}

/** A call that is ready to run. */
export interface PreparedToolCall {
  toolCall: AgentToolCall;
  tool: AnyAgentTool;
  // biome-ignore lint/suspicious/noExplicitAny: arguments have the shape of the tool's own schema.
  args: any;
  /** Passed to the tool of a durable run. */
  execution?: AgentToolExecution;
}

/** Receives the events of one call. Methods return a promise only if there is something to wait for. */
export interface ToolCallSink {
  /** Receives progress while the tool runs. */
  report(partialResult: AgentToolResult): void;
  /** Waits until all progress has been delivered. */
  settle(): Promise<unknown> | undefined;
  /** Receives the outcome. */
  end(outcome: AgentToolCallOutcome): Promise<void> | undefined;
}
