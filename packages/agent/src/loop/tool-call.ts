/**
 * One tool call in three steps: prepare, execute, finalize. No step throws: an error in a tool or a hook becomes the
 * call's outcome. After an abort a call that has not ended gets an error result, and its later result is dropped.
 */
import { formatThrownValue } from "pi-ai/call";
import type { AgentToolCall } from "../types/message.js";
import type { RunSteps } from "../types/run-steps.js";
import type { AgentToolCallOutcome, AgentToolResult, AnyAgentTool } from "../types/tool.js";
import type { AfterToolCallHook, BeforeToolCallHook } from "../types/tool-call-hooks.js";
import { applyAfterHook } from "./after-tool-call.js";
import { isPending } from "./promises.js";
import { describeMissingHandler, prepareServerTool } from "./server-tool-call.js";
import { describeThrown } from "./thrown-text.js";
import { describeArgumentsError, describeTruncation, findTool, prepareArguments } from "./tool-arguments.js";
import { hooksOf, type PreparedToolCall, type ToolCallContext, type ToolCallSink } from "./tool-call-context.js";
import { runTool } from "./tool-execution.js";
import { createAbortedOutcome, createBlockedOutcome, createErrorOutcome, createFailedOutcome } from "./tool-outcome.js";
import { checkToolResult, createErrorResult } from "./tool-result.js";

// In Node, the global is a getter that runs at each use.
const monotonic = performance;

/** Finds the tool, validates the arguments and calls `beforeToolCall`. An outcome means that the tool must not run. */
export function prepareToolCall(
  toolCall: AgentToolCall,
  call: ToolCallContext,
): PreparedToolCall | AgentToolCallOutcome | Promise<PreparedToolCall | AgentToolCallOutcome> {
  if (call.gate.aborted && !call.runSteps) return createAbortedOutcome(toolCall);
  const checked = checkToolCall(toolCall, call);
  if (isOutcome(checked)) {
    call.rejectedCalls?.push(toolCall.id);
    return checked;
  }
  const { beforeToolCall } = hooksOf(checked.tool, call);
  return beforeToolCall ? runBeforeHook(checked, beforeToolCall, call) : checked;
}

export function isOutcome(value: PreparedToolCall | AgentToolCallOutcome): value is AgentToolCallOutcome {
  return "result" in value;
}

/** Runs the tool, then `afterToolCall`. */
export function executeToolCall(
  prepared: PreparedToolCall,
  call: ToolCallContext,
  sink: ToolCallSink,
): Promise<AgentToolCallOutcome> {
  return call.runSteps ? executeOnce(prepared, call, call.runSteps, sink) : perform(prepared, call, sink, end);
}

/** Runs the tool unless another process has its outcome. */
async function executeOnce(
  prepared: PreparedToolCall,
  call: ToolCallContext,
  runSteps: RunSteps,
  sink: ToolCallSink,
): Promise<AgentToolCallOutcome> {
  const { toolCall } = prepared;
  const remembered = await runSteps.runTool(prepared, async (idempotencyKey) => {
    const execution = { idempotencyKey };
    const { result, isError, durationMs } = await perform({ ...prepared, execution }, call, sink, withoutEnd);
    return { result, isError, ...(durationMs !== undefined && { durationMs }) };
  });
  // An error of a listener concerns only this process, so it must not become part of the stored step.
  await sink.settle();
  return end(sink, { ...remembered, toolCall });
}

type EndCall = typeof end;
const withoutEnd: EndCall = (_sink, outcome) => outcome;

/** Runs the tool and the hook. `endCall` is passed in, because one more async function would cost more than a tool. */
async function perform(
  prepared: PreparedToolCall,
  call: ToolCallContext,
  sink: ToolCallSink,
  endCall: EndCall,
): Promise<AgentToolCallOutcome> {
  const { toolCall, tool } = prepared;
  if (call.gate.aborted) return endCall(sink, createAbortedOutcome(toolCall));
  let ended = false;
  const onUpdate = (partialResult: AgentToolResult): void => {
    if (!ended && !call.gate.aborted) sink.report(partialResult);
  };
  const { now } = call.settings;
  const started = now ? now() : monotonic.now();
  let outcome: Required<AgentToolCallOutcome>;
  try {
    const result = checkToolResult(tool.name, await runTool(prepared, call, onUpdate));
    outcome = { toolCall, result, isError: false, durationMs: millisecondsSince(started, now) };
  } catch (error) {
    outcome = { ...createFailedOutcome(toolCall, error, call), durationMs: millisecondsSince(started, now) };
  }
  ended = true;
  const reported = call.runSteps ? undefined : sink.settle();
  if (isPending(reported)) await reported;
  const { afterToolCall } = hooksOf(tool, call);
  if (!afterToolCall) return endCall(sink, outcome);
  const changed = await runAfterHook(outcome, prepared, afterToolCall, call);
  return endCall(sink, { ...changed, durationMs: outcome.durationMs });
}

/** Rounded to the microsecond: the digits beyond it are noise and would be stored. */
function millisecondsSince(started: number, now: (() => number) | undefined): number {
  return Math.round(((now ? now() : monotonic.now()) - started) * 1000) / 1000;
}

function end(sink: ToolCallSink, outcome: AgentToolCallOutcome): AgentToolCallOutcome | Promise<AgentToolCallOutcome> {
  const delivered = sink.end(outcome);
  return delivered ? delivered.then(() => outcome) : outcome;
}

function checkToolCall(toolCall: AgentToolCall, call: ToolCallContext): PreparedToolCall | AgentToolCallOutcome {
  const { name, serverTool } = toolCall;
  const handled = serverTool && prepareServerTool(toolCall, serverTool, call.serverToolHandlers);
  const own = serverTool ? undefined : findTool(call.hiddenTools, name);
  const tool = serverTool ? handled?.tool : (own ?? findTool(call.context.tools, name));
  const missing = serverTool ? describeMissingHandler(name) : `Tool ${name} not found`;
  if (!tool) return createErrorOutcome(toolCall, createErrorResult(missing));
  const truncated = call.assistantMessage.stopReason === "length";
  if (toolCall.argumentsError !== undefined)
    return createErrorOutcome(toolCall, createErrorResult(describeArgumentsError(toolCall, truncated)));
  // The limit may also have cut off calls that would have changed what this one means.
  if (truncated) return createErrorOutcome(toolCall, createErrorResult(describeTruncation(toolCall)));
  return handled ?? checkArguments(toolCall, tool, call);
}

function checkArguments(
  toolCall: AgentToolCall,
  tool: AnyAgentTool,
  call: ToolCallContext,
): PreparedToolCall | AgentToolCallOutcome {
  let args: AgentToolCall["arguments"];
  try {
    args = prepareArguments(tool, toolCall);
  } catch (error) {
    return createFailedOutcome(toolCall, error, call);
  }
  try {
    return {
      toolCall,
      tool,
      args: call.validate(tool, args === toolCall.arguments ? toolCall : { ...toolCall, arguments: args }),
    };
  } catch (error) {
    // The validator bounds its texts itself, and the model needs each of their lines.
    return createErrorOutcome(toolCall, createErrorResult(formatThrownValue(error)));
  }
}

async function runBeforeHook(
  prepared: PreparedToolCall,
  beforeToolCall: BeforeToolCallHook,
  call: ToolCallContext,
): Promise<PreparedToolCall | AgentToolCallOutcome> {
  const { assistantMessage, context, gate, runSteps } = call;
  const { toolCall, tool, args } = prepared;
  const callHook = async () => gate.wait(beforeToolCall({ assistantMessage, toolCall, args, context }, gate.signal));
  try {
    // The hook may have changed the arguments.
    const decided = runSteps
      ? await runSteps.hook(`beforeToolCall ${runSteps.keyOf(toolCall)}`, async () => {
          const verdict = await callHook().catch((error) =>
            Promise.reject(new Error(describeThrown(error, call.secrets()))),
          );
          return { verdict, args };
        })
      : { verdict: await callHook(), args };
    const { verdict } = decided;
    return createBlockedOutcome(toolCall, verdict) ?? { toolCall, tool, args: decided.args };
  } catch (error) {
    if (runSteps?.failure) throw error;
    return createFailedOutcome(toolCall, error, call);
  }
}

/** A result is dropped if an abort comes before the hook is done: the hook may exist to remove something from it. */
async function runAfterHook(
  executed: AgentToolCallOutcome,
  { toolCall, args }: PreparedToolCall,
  afterToolCall: AfterToolCallHook,
  call: ToolCallContext,
): Promise<AgentToolCallOutcome> {
  const { assistantMessage, context, gate } = call;
  const { result, isError } = executed;
  try {
    gate.check();
    const hookContext = { assistantMessage, toolCall, args, result, isError, context };
    return applyAfterHook(executed, await gate.wait(afterToolCall(hookContext, gate.signal)));
  } catch (error) {
    return createFailedOutcome(toolCall, error, call);
  }
}
