/**
 * One tool call in three steps: prepare, execute, finalize. No step throws: whatever a tool or a hook does becomes the
 * call's outcome. After an abort a call that has not ended is given up, and what it does later is dropped.
 */
import type { AssistantMessage } from "pi-ai";
import type { AfterToolCallHook, AgentContext, BeforeToolCallHook, BeforeToolCallResult } from "../types/config.js";
import type { AgentToolCall } from "../types/message.js";
import type { AgentToolCallOutcome, AgentToolResult, AnyAgentTool } from "../types/tool.js";
import type { AbortGate } from "./abort-gate.js";
import { applyAfterHook } from "./after-tool-call.js";
import { buildToolArguments, describeArgumentsError, findTool, loadValidator } from "./tool-arguments.js";
import { runWithTimeout } from "./tool-execution.js";
import { checkToolResult, createErrorResult, toErrorResult } from "./tool-result.js";

const ABORTED_TEXT = "Operation aborted";
const BLOCKED_TEXT = "Tool execution was blocked";

/** What the calls of one answer have in common. */
export interface ToolCallContext {
  assistantMessage: AssistantMessage;
  context: AgentContext;
  gate: AbortGate;
  beforeToolCall?: BeforeToolCallHook | undefined;
  afterToolCall?: AfterToolCallHook | undefined;
  toolTimeoutMs?: number | undefined;
}

/** A call that may run. */
export interface PreparedToolCall {
  toolCall: AgentToolCall;
  tool: AnyAgentTool;
  // biome-ignore lint/suspicious/noExplicitAny: arguments have the shape of the tool's own schema.
  args: any;
}

export interface ProgressSink {
  /** Takes progress while the tool runs. */
  report(partialResult: AgentToolResult): void;
  /** Waits until what was reported has been taken. */
  settle(): Promise<void> | undefined;
}

/** Finds the tool, checks the arguments and asks the hook. An outcome means that the tool must not run. */
export async function prepareToolCall(
  toolCall: AgentToolCall,
  call: ToolCallContext,
): Promise<PreparedToolCall | AgentToolCallOutcome> {
  if (call.gate.aborted) return createAbortedOutcome(toolCall);
  try {
    const refusal = refuse(toolCall, call);
    if (typeof refusal === "string") return createErrorOutcome(toolCall, createErrorResult(refusal));
    const tool = refusal;
    const args = buildToolArguments(tool, toolCall, await call.gate.wait(loadValidator()));
    if (!call.beforeToolCall) return { toolCall, tool, args };
    const { assistantMessage, context, gate } = call;
    const verdict = await gate.wait(call.beforeToolCall({ assistantMessage, toolCall, args, context }, gate.signal));
    if (isBlocked(verdict)) return createErrorOutcome(toolCall, createErrorResult(blockReason(verdict)));
    return { toolCall, tool, args };
  } catch (error) {
    if (call.gate.aborted) return createAbortedOutcome(toolCall);
    return createErrorOutcome(toolCall, toErrorResult(error));
  }
}

export function isOutcome(value: PreparedToolCall | AgentToolCallOutcome): value is AgentToolCallOutcome {
  return "result" in value;
}

/** Runs the tool, then the hook. */
export async function executeToolCall(
  prepared: PreparedToolCall,
  call: ToolCallContext,
  progress: ProgressSink,
): Promise<AgentToolCallOutcome> {
  const { toolCall } = prepared;
  if (call.gate.aborted) return createAbortedOutcome(toolCall);
  const started = performance.now();
  const executed = await runTool(prepared, call, progress);
  // To the microsecond: what the clock gives beyond it is noise that would be stored.
  const durationMs = Math.round((performance.now() - started) * 1000) / 1000;
  await progress.settle();
  const outcome = call.afterToolCall ? await finalizeToolCall(executed, prepared, call.afterToolCall, call) : executed;
  return { ...outcome, durationMs };
}

/** For a call that an abort came before. */
export function createAbortedOutcome(toolCall: AgentToolCall): AgentToolCallOutcome {
  return createErrorOutcome(toolCall, createErrorResult(ABORTED_TEXT));
}

function refuse(toolCall: AgentToolCall, call: ToolCallContext): AnyAgentTool | string {
  const tool = findTool(call.context.tools, toolCall.name);
  if (!tool) return `Tool ${toolCall.name} not found`;
  if (toolCall.argumentsError === undefined) return tool;
  return describeArgumentsError(toolCall, call.assistantMessage.stopReason === "length");
}

async function runTool(
  prepared: PreparedToolCall,
  call: ToolCallContext,
  progress: ProgressSink,
): Promise<AgentToolCallOutcome> {
  const { toolCall, tool, args } = prepared;
  const timeoutMs = tool.toolTimeoutMs ?? call.toolTimeoutMs;
  let ended = false;
  const onUpdate = (partialResult: AgentToolResult): void => {
    if (!ended && !call.gate.aborted) progress.report(partialResult);
  };
  try {
    const execute = (signal: AbortSignal | undefined) => tool.execute(toolCall.id, args, signal, onUpdate);
    const value = timeoutMs
      ? await runWithTimeout(call.gate, { name: tool.name, timeoutMs }, execute)
      : await call.gate.wait(execute(call.gate.signal));
    return { toolCall, result: checkToolResult(tool.name, value), isError: false };
  } catch (error) {
    return call.gate.aborted ? createAbortedOutcome(toolCall) : createErrorOutcome(toolCall, toErrorResult(error));
  } finally {
    ended = true;
  }
}

/** A result that the hook has not seen to the end is not kept: the hook may be there to take something out of it. */
async function finalizeToolCall(
  executed: AgentToolCallOutcome,
  { toolCall, args }: PreparedToolCall,
  afterToolCall: AfterToolCallHook,
  { assistantMessage, context, gate }: ToolCallContext,
): Promise<AgentToolCallOutcome> {
  const { result, isError } = executed;
  try {
    gate.check();
    const hookContext = { assistantMessage, toolCall, args, result, isError, context };
    return applyAfterHook(executed, await gate.wait(afterToolCall(hookContext, gate.signal)));
  } catch (error) {
    return gate.aborted ? createAbortedOutcome(toolCall) : createErrorOutcome(toolCall, toErrorResult(error));
  }
}

function createErrorOutcome(toolCall: AgentToolCall, result: AgentToolResult): AgentToolCallOutcome {
  return { toolCall, result, isError: true };
}

/** Anything but a plain no counts as a wish to block: a hook that guards something must not fail open. */
function isBlocked(verdict: unknown): verdict is BeforeToolCallResult {
  return typeof verdict === "object" && verdict !== null && "block" in verdict && Boolean(verdict.block);
}

function blockReason(verdict: BeforeToolCallResult): string {
  return typeof verdict.reason === "string" && verdict.reason !== "" ? verdict.reason : BLOCKED_TEXT;
}
