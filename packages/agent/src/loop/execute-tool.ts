/** Runs a tool with its timeout, through `wrapToolCall`, then `afterToolCall`. */
import { type AbortGate, ignoreIfUnused, OperationAborted } from "../abort-gate.js";
import { checkReturned } from "../checks.js";
import { createQuestions, createWaitingOutcome } from "../pause/index.js";
import { callSettingOf } from "../settings.js";
import { checkHookResult, toToolResult } from "../tool-result.js";
import type {
  AgentToolCallOutcome,
  AgentToolContext,
  AgentToolOutput,
  AgentToolResult,
  AgentToolStep,
  AgentToolUpdateCallback,
} from "../types/tool.js";
import type { AfterToolCallHook, WrapToolCallHook } from "../types/tool-call-hooks.js";
import { startStopwatch } from "./stopwatch.js";
import { createAnswerParser, parseAgain, shownArgumentsOf } from "./tool-arguments.js";
import { hooksOf, type PreparedToolCall, type ToolBatch } from "./tool-call.js";
import { applyAfterHook, createAbortedOutcome, createFailedOutcome } from "./tool-outcome.js";

/** Calls the hooks around a tool, and makes an outcome of what it returned or threw. */
export async function executeTool(
  prepared: PreparedToolCall,
  batch: ToolBatch,
  step?: AgentToolStep,
): Promise<AgentToolCallOutcome> {
  const { run } = batch;
  const { gate, asParent } = run;
  const { toolCall, tool } = prepared;
  if (gate.aborted) return createAbortedOutcome(toolCall);
  const questions = createQuestions(toolCall, batch, {
    shown: () => shownArgumentsOf(prepared),
    parse: createAnswerParser(toolCall),
  });
  const reports: (Promise<void> | undefined)[] = [];
  let ended = false;
  const execution: Execution = {
    report: (partialResult) => {
      if (!ended && !gate.aborted) reports.push(batch.report(toolCall, partialResult));
    },
    context: asParent ? { ...step, run: asParent, ask: questions.ask, pausing: questions } : { ...step },
    wasCalled: false,
  };
  const elapsed = startStopwatch(batch.callSettings.now);
  const { wrapToolCall, afterToolCall } = hooksOf(prepared, batch);
  let outcome: AgentToolCallOutcome;
  try {
    const returned = wrapToolCall
      ? await callWrapped(prepared, batch, { execution, wrapToolCall })
      : await callTool(prepared, batch, execution);
    const result = toToolResult(tool.name, returned);
    outcome = { toolCall, result, isError: result.isError === true, ...elapsed() };
  } catch (error) {
    outcome = createFailedOutcome(toolCall, error, run);
    if (execution.wasCalled) Object.assign(outcome, elapsed());
  }
  ended = true;
  if (reports.length > 0) await Promise.all(reports);
  const pause = questions.waitingMark();
  if (pause && !gate.aborted) return createWaitingOutcome(toolCall, pause, outcome.result.details);
  if (afterToolCall) outcome = await askAfterHook(outcome, prepared, { batch, afterToolCall });
  run.sideUsage?.endCall(execution.context, outcome.result);
  return outcome;
}

/** A result is dropped if an abort comes before the hook is done: the hook may exist to remove something from it. */
async function askAfterHook(
  executed: AgentToolCallOutcome,
  { toolCall, args }: PreparedToolCall,
  { batch, afterToolCall }: { batch: ToolBatch; afterToolCall: AfterToolCallHook },
): Promise<AgentToolCallOutcome> {
  const { assistantMessage, context, run } = batch;
  const { gate } = run;
  const { result, isError, durationMs } = executed;
  try {
    gate.check();
    const ended = { assistantMessage, toolCall, args, result, isError, context };
    const change = await gate.wait(afterToolCall(ended, gate.signal));
    // As in `askBeforeHook`.
    checkReturned("afterToolCall", change);
    return applyAfterHook(executed, change);
  } catch (error) {
    const failed = createFailedOutcome(toolCall, error, run);
    return durationMs === undefined ? failed : { ...failed, durationMs };
  }
}

interface Execution {
  report: AgentToolUpdateCallback;
  context: AgentToolContext;
  /** The tool was called, so the outcome has a duration. */
  wasCalled: boolean;
}

/** After an abort the hook has the grace period of a listener, so that it can clean up before the call ends. */
async function callWrapped(
  prepared: PreparedToolCall,
  batch: ToolBatch,
  { execution, wrapToolCall }: { execution: Execution; wrapToolCall: WrapToolCallHook },
): Promise<unknown> {
  const { assistantMessage } = batch;
  const { gate } = batch.run;
  const { toolCall, tool, args } = prepared;
  const start = async (): Promise<AgentToolResult> => {
    gate.check();
    return toToolResult(tool.name, await callTool(prepared, batch, execution));
  };
  const execute = (): Promise<AgentToolResult> => ignoreIfUnused(start());
  const wrapped = wrapToolCall({ assistantMessage, toolCall, tool, args }, execute, gate.signal);
  const result = await gate.waitWithGrace(Promise.resolve(wrapped));
  // If a hook swallows the abort, the call must not look complete.
  gate.check();
  return checkHookResult(tool.name, result);
}

/** Waits until the tool ends, the run is aborted, or the time is up. The latter two abort the tool's signal. */
async function callTool(
  prepared: PreparedToolCall,
  { run, callSettings }: ToolBatch,
  execution: Execution,
): Promise<unknown> {
  const { gate } = run;
  const changes = prepared.watched?.changes;
  const { toolCall, tool, args } = changes ? await parseAgain(prepared, changes, run) : prepared;
  const { report, context } = execution;
  if (run.events?.closed) throw new OperationAborted();
  execution.wasCalled = true;
  // `details` is passed on even if it is undefined.
  const onUpdate = report as (partialResult: AgentToolOutput) => void;
  const milliseconds = callSettingOf(tool, callSettings, "toolTimeoutMs");
  if (!milliseconds) return await gate.wait(tool.execute(toolCall.id, args, gate.signal, onUpdate, context));
  const { signal, onTimeout, end } = limitTime(tool.name, milliseconds, gate);
  try {
    // A tool in plain JavaScript may return a value.
    const pending = Promise.resolve(tool.execute(toolCall.id, args, signal, onUpdate, context));
    return await gate.waitAtMost(pending, { milliseconds, onTimeout });
  } finally {
    end();
  }
}

/** The signal of a tool that has a limit of time. */
function limitTime(
  name: string,
  milliseconds: number,
  gate: AbortGate,
): { signal: AbortSignal; onTimeout: () => never; end: () => void } {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    onTimeout: () => {
      const error = new DOMException(`Tool ${name} timed out after ${milliseconds} ms`, "TimeoutError");
      controller.abort(error);
      throw error;
    },
    end: () => {
      if (gate.aborted) controller.abort(gate.signal?.reason);
    },
  };
}
