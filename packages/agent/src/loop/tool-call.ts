/**
 * One tool call in three steps: prepare, execute, finalize. No step throws: whatever a tool or a hook does becomes the
 * call's outcome. After an abort a call that has not ended is given up, and what it does later is dropped.
 */
import type { AssistantMessage } from "pi-ai";
import type { AfterToolCallHook, AgentContext, BeforeToolCallHook, BeforeToolCallResult } from "../types/config.js";
import type { AgentToolCall } from "../types/message.js";
import type { AgentToolCallOutcome, AgentToolResult, AgentToolUpdateCallback, AnyAgentTool } from "../types/tool.js";
import type { AbortGate } from "./abort-gate.js";
import { applyAfterHook } from "./after-tool-call.js";
import { buildToolArguments, describeArgumentsError, findTool, type ValidateToolArguments } from "./tool-arguments.js";
import { runWithTimeout } from "./tool-execution.js";
import { checkToolResult, createErrorResult, toErrorResult } from "./tool-result.js";

const ABORTED_TEXT = "Operation aborted";
const BLOCKED_TEXT = "Tool execution was blocked";

/** What the calls of one answer have in common. */
export interface ToolCallContext {
  assistantMessage: AssistantMessage;
  context: AgentContext;
  gate: AbortGate;
  validate: ValidateToolArguments;
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

/** Who is told of a call. What there is to wait for, it gives as a promise. */
export interface ToolCallSink {
  /** Takes progress while the tool runs. */
  report(partialResult: AgentToolResult): void;
  /** Waits until what was reported has been taken. */
  settle(): Promise<unknown> | undefined;
  /** Takes how the call ended. */
  end(outcome: AgentToolCallOutcome): Promise<void> | undefined;
}

// The global is looked up by a getter, in Node, at each use.
const clock = performance;

/** Finds the tool, checks the arguments and asks the hook. An outcome means that the tool must not run. */
export function prepareToolCall(
  toolCall: AgentToolCall,
  call: ToolCallContext,
): PreparedToolCall | AgentToolCallOutcome | Promise<PreparedToolCall | AgentToolCallOutcome> {
  if (call.gate.aborted) return createAbortedOutcome(toolCall);
  const checked = checkToolCall(toolCall, call);
  return call.beforeToolCall && !isOutcome(checked) ? askBefore(checked, call.beforeToolCall, call) : checked;
}

export function isOutcome(value: PreparedToolCall | AgentToolCallOutcome): value is AgentToolCallOutcome {
  return "result" in value;
}

/** Runs the tool, then the hook. */
export async function executeToolCall(
  prepared: PreparedToolCall,
  call: ToolCallContext,
  sink: ToolCallSink,
): Promise<AgentToolCallOutcome> {
  const { toolCall, tool } = prepared;
  if (call.gate.aborted) return tell(sink, createAbortedOutcome(toolCall));
  let ended = false;
  const onUpdate = (partialResult: AgentToolResult): void => {
    if (!ended && !call.gate.aborted) sink.report(partialResult);
  };
  const started = clock.now();
  let outcome: Required<AgentToolCallOutcome>;
  try {
    const result = checkToolResult(tool.name, await runTool(prepared, call, onUpdate));
    outcome = { toolCall, result, isError: false, durationMs: millisecondsSince(started) };
  } catch (error) {
    outcome = { ...createFailedOutcome(toolCall, error, call.gate), durationMs: millisecondsSince(started) };
  }
  ended = true;
  const reported = sink.settle();
  if (reported) await reported;
  if (!call.afterToolCall) return tell(sink, outcome);
  const asked = await askAfter(outcome, prepared, call.afterToolCall, call);
  return tell(sink, { ...asked, durationMs: outcome.durationMs });
}

/** To the microsecond: what the clock gives beyond it is noise that would be stored. */
function millisecondsSince(started: number): number {
  return Math.round((clock.now() - started) * 1000) / 1000;
}

function tell(sink: ToolCallSink, outcome: AgentToolCallOutcome): AgentToolCallOutcome | Promise<AgentToolCallOutcome> {
  const told = sink.end(outcome);
  return told ? told.then(() => outcome) : outcome;
}

/** For a call that an abort came before. */
function createAbortedOutcome(toolCall: AgentToolCall): AgentToolCallOutcome {
  return createErrorOutcome(toolCall, createErrorResult(ABORTED_TEXT));
}

function checkToolCall(toolCall: AgentToolCall, call: ToolCallContext): PreparedToolCall | AgentToolCallOutcome {
  const tool = findTool(call.context.tools, toolCall.name);
  if (!tool) return createErrorOutcome(toolCall, createErrorResult(`Tool ${toolCall.name} not found`));
  if (toolCall.argumentsError !== undefined) {
    const text = describeArgumentsError(toolCall, call.assistantMessage.stopReason === "length");
    return createErrorOutcome(toolCall, createErrorResult(text));
  }
  try {
    return { toolCall, tool, args: buildToolArguments(tool, toolCall, call.validate) };
  } catch (error) {
    return createFailedOutcome(toolCall, error, call.gate);
  }
}

async function askBefore(
  prepared: PreparedToolCall,
  beforeToolCall: BeforeToolCallHook,
  { assistantMessage, context, gate }: ToolCallContext,
): Promise<PreparedToolCall | AgentToolCallOutcome> {
  const { toolCall, args } = prepared;
  try {
    const verdict = await gate.wait(beforeToolCall({ assistantMessage, toolCall, args, context }, gate.signal));
    return isBlocked(verdict) ? createErrorOutcome(toolCall, createErrorResult(blockReason(verdict))) : prepared;
  } catch (error) {
    return createFailedOutcome(toolCall, error, gate);
  }
}

function runTool(
  { toolCall, tool, args }: PreparedToolCall,
  { gate, toolTimeoutMs }: ToolCallContext,
  onUpdate: AgentToolUpdateCallback,
): unknown {
  const timeoutMs = tool.toolTimeoutMs ?? toolTimeoutMs;
  if (!timeoutMs) return gate.wait(tool.execute(toolCall.id, args, gate.signal, onUpdate));
  const execute = (signal: AbortSignal) => tool.execute(toolCall.id, args, signal, onUpdate);
  return runWithTimeout(gate, { name: tool.name, timeoutMs }, execute);
}

/** A result that the hook has not seen to the end is not kept: the hook may be there to take something out of it. */
async function askAfter(
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
    return createFailedOutcome(toolCall, error, gate);
  }
}

function createFailedOutcome(toolCall: AgentToolCall, error: unknown, gate: AbortGate): AgentToolCallOutcome {
  return gate.aborted ? createAbortedOutcome(toolCall) : createErrorOutcome(toolCall, toErrorResult(error));
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
