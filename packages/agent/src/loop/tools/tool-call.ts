/**
 * One tool call: it is prepared, then executed. Neither throws: an error in a tool or a hook becomes the call's outcome.
 * After an abort a call that has not ended gets an error result, and its later result is dropped.
 */
import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import { formatThrownValue, startTimer } from "pi-ai/call";
import type { AgentContext } from "../../types/agent-context.js";
import type { AgentToolCall } from "../../types/message.js";
import type { ParentRun } from "../../types/parent-run.js";
import type { RememberedOutcome, RunSteps } from "../../types/run-steps.js";
import type {
  AgentToolCallOutcome,
  AgentToolContext,
  AgentToolOutput,
  AgentToolResult,
  AgentToolStep,
  AgentToolUpdateCallback,
  AnyAgentTool,
  ServerToolHandlers,
  StepToolCall,
} from "../../types/tool.js";
import type { AfterToolCallHook, ToolCallHooks, WrapToolCallHook } from "../../types/tool-call-hooks.js";
import { type AbortGate, ignoreIfUnused, isPending } from "../abort-gate.js";
import { directSteps } from "../agent-run.js";
import { type CallSettings, callSettingOf } from "../settings/index.js";
import { type StepRun, storeWork, takeStep } from "../step-record.js";
import { prepareServerTool } from "./requested-calls.js";
import {
  applyAfterHook,
  checkToolResult,
  createAbortedOutcome,
  createBlockedOutcome,
  createErrorOutcome,
  createFailedOutcome,
  describeArgumentsError,
  describeMissingHandler,
  describeTruncation,
} from "./tool-outcome.js";

/** The parts of a run that a call needs. For a call outside of a run, `runToolCall` makes them. */
export interface ToolRun {
  readonly gate: AbortGate;
  readonly steps: RunSteps;
  readonly callSettings: CallSettings;
  /** The values that must not appear in the text of an error result. */
  secrets(): readonly string[];
  /** Passed to tools. */
  readonly asParent?: ParentRun;
}

/** The data that all calls of one response share. */
export interface ToolBatch {
  readonly run: ToolRun;
  /** What stores the steps of the calls, with what hooks leave in them. Undefined outside of a run. */
  readonly stepRun: StepRun | undefined;
  readonly assistantMessage: AssistantMessage;
  readonly context: AgentContext;
  readonly validate: typeof import("pi-ai/validation").validateToolArguments;
  readonly serverToolHandlers: ServerToolHandlers | undefined;
  /** Tools of middleware, which the hooks of tool calls do not see. */
  readonly hiddenTools: readonly AnyAgentTool[] | undefined;
  /** The results so far. */
  readonly result: ToolBatchResult;
}

/** The results of the tool calls of one response. */
export interface ToolBatchResult {
  /** One for each call, in the order of the calls. */
  messages: ToolResultMessage[];
  /** The ids of the calls that were rejected before any hook. */
  rejectedCalls: string[];
  /** Whether every call asked for the run to end. */
  terminate: boolean;
}

/** A call that is ready to run. */
export interface PreparedToolCall extends StepToolCall {
  // biome-ignore lint/suspicious/noExplicitAny: arguments have the shape of the tool's own schema.
  args: any;
}

/** Receives what happens to one call. */
export interface ToolCallSink {
  /** Receives progress. */
  report(partialResult: AgentToolResult): void;
  /** Waits until all progress has been delivered. Never rejects. Returns undefined if there is nothing to wait for. */
  settle(): Promise<unknown> | undefined;
  /** Receives the outcome. */
  end(outcome: AgentToolCallOutcome): Promise<void> | undefined;
}

type CallHooks = Pick<CallSettings, keyof ToolCallHooks>;
type MaybePromise<TValue> = TValue | Promise<TValue>;

const NO_HOOKS: CallHooks = { beforeToolCall: undefined, wrapToolCall: undefined, afterToolCall: undefined };
// In Node, the global is a getter that runs at each use.
const monotonic = performance;

/** The hooks of tool calls do not see the tool of a middleware, such as that of a typed output. */
function hooksOf(tool: AnyAgentTool, batch: ToolBatch): CallHooks {
  return isHidden(tool, batch) ? NO_HOOKS : batch.run.callSettings;
}

export function isHidden(tool: AnyAgentTool, { hiddenTools }: ToolBatch): boolean {
  return hiddenTools?.includes(tool) ?? false;
}

export function isOutcome(value: PreparedToolCall | AgentToolCallOutcome): value is AgentToolCallOutcome {
  return "result" in value;
}

/** The tool that a call names; the first one if two share a name. */
export function findTool(tools: readonly AnyAgentTool[] | undefined, name: string): AnyAgentTool | undefined {
  if (tools) for (const tool of tools) if (tool?.name === name) return tool;
  return undefined;
}

// --- Prepare: find the tool, check the arguments, ask `beforeToolCall`.

/** An outcome means that the tool must not run. */
export function prepareToolCall(
  toolCall: AgentToolCall,
  batch: ToolBatch,
): MaybePromise<PreparedToolCall | AgentToolCallOutcome> {
  // A run whose steps are stored takes the same ones after an abort, so that another process can repeat them.
  if (batch.run.gate.aborted && !batch.run.steps.stores) return createAbortedOutcome(toolCall);
  const checked = checkToolCall(toolCall, batch);
  if (isOutcome(checked)) {
    batch.result.rejectedCalls.push(toolCall.id);
    return checked;
  }
  return hooksOf(checked.tool, batch).beforeToolCall ? runBeforeHook(checked, batch) : checked;
}

function checkToolCall(toolCall: AgentToolCall, batch: ToolBatch): PreparedToolCall | AgentToolCallOutcome {
  const { name, serverTool } = toolCall;
  const handled = serverTool && prepareServerTool(toolCall, serverTool, batch.serverToolHandlers);
  const own = serverTool ? undefined : findTool(batch.hiddenTools, name);
  const tool = serverTool ? handled?.tool : (own ?? findTool(batch.context.tools, name));
  const missing = serverTool ? describeMissingHandler(name) : `Tool ${name} not found`;
  if (!tool) return createErrorOutcome(toolCall, missing);
  const truncated = batch.assistantMessage.stopReason === "length";
  if (toolCall.argumentsError !== undefined)
    return createErrorOutcome(toolCall, describeArgumentsError(toolCall, truncated));
  // The limit may also have cut off calls that would have changed what this one means.
  if (truncated) return createErrorOutcome(toolCall, describeTruncation(toolCall));
  return handled ?? checkArguments(toolCall, tool, batch);
}

function checkArguments(
  toolCall: AgentToolCall,
  tool: AnyAgentTool,
  batch: ToolBatch,
): PreparedToolCall | AgentToolCallOutcome {
  let args = toolCall.arguments;
  try {
    if (tool.prepareArguments) args = tool.prepareArguments(structuredClone(args));
  } catch (error) {
    return createFailedOutcome(toolCall, error, batch.run);
  }
  try {
    const call = args === toolCall.arguments ? toolCall : { ...toolCall, arguments: args };
    return { toolCall, tool, args: batch.validate(tool, call) };
  } catch (error) {
    // The validator bounds its texts itself, and the model needs each of their lines.
    return createErrorOutcome(toolCall, formatThrownValue(error));
  }
}

async function runBeforeHook(
  prepared: PreparedToolCall,
  batch: ToolBatch,
): Promise<PreparedToolCall | AgentToolCallOutcome> {
  const { assistantMessage, context, run, stepRun } = batch;
  const { gate, steps } = run;
  const { toolCall, tool, args } = prepared;
  const { beforeToolCall } = hooksOf(tool, batch);
  const ask = () => gate.wait(beforeToolCall?.({ assistantMessage, toolCall, args, context }, gate.signal));
  try {
    // The hook may have changed the arguments.
    const { verdict, args: changed } =
      stepRun && steps.stores
        ? await takeStep(stepRun, `beforeToolCall ${steps.keyOf(toolCall)}`, async () => ({
            verdict: await ask(),
            args,
          }))
        : { verdict: await ask(), args };
    return createBlockedOutcome(toolCall, verdict) ?? { toolCall, tool, args: changed };
  } catch (error) {
    if (steps.failure) throw error;
    return createFailedOutcome(toolCall, error, run);
  }
}

// --- Execute: the tool with its timeout, through `wrapToolCall`, then `afterToolCall`.

/** Runs the tool, unless an earlier process has its outcome. */
export function executeToolCall(
  prepared: PreparedToolCall,
  batch: ToolBatch,
  sink: ToolCallSink,
): Promise<AgentToolCallOutcome> {
  const { run, stepRun } = batch;
  return stepRun && run.steps !== directSteps
    ? performInStep(prepared, batch, { sink, stepRun })
    : perform(prepared, batch, sink);
}

async function performInStep(
  prepared: PreparedToolCall,
  batch: ToolBatch,
  { sink, stepRun }: { sink: ToolCallSink; stepRun: StepRun },
): Promise<AgentToolCallOutcome> {
  // Listeners concern only this process, so the outcome is stored before they see it.
  const inStep: ToolCallSink = {
    report: (partialResult) => sink.report(partialResult),
    settle: () => sink.settle(),
    end: () => undefined,
  };
  const { stored, isNew } = await storeWork(
    stepRun,
    (work: (step: AgentToolStep | undefined) => Promise<RememberedOutcome>) => stepRun.steps.runTool(prepared, work),
    async (step) => {
      const { toolCall: _toolCall, ...outcome } = await perform(prepared, batch, inStep, step);
      return outcome;
    },
  );
  const { result, isError, durationMs } = stored;
  const { toolCall, tool } = prepared;
  const outcome = withDuration({ toolCall, result, isError }, durationMs);
  if (!isNew && !isHidden(tool, batch)) stepRun.middleware.onRememberedCall?.(outcome);
  await sink.end(outcome);
  return outcome;
}

/** One function for all of a call, because each further promise costs as much as a quick tool. */
async function perform(
  prepared: PreparedToolCall,
  batch: ToolBatch,
  sink: ToolCallSink,
  step?: AgentToolStep,
): Promise<AgentToolCallOutcome> {
  const { run } = batch;
  const { gate, asParent } = run;
  if (gate.aborted) return endAborted(prepared, sink);
  const { now } = run.callSettings;
  let ended = false;
  const report = (partialResult: AgentToolResult): void => {
    if (!ended && !gate.aborted) sink.report(partialResult);
  };
  const context: AgentToolContext = asParent ? { ...step, run: asParent } : { ...step };
  const execution: Execution = { report, context, hasBegun: false };
  const started = now ? now() : monotonic.now();
  let outcome: AgentToolCallOutcome;
  try {
    const running = runTool(prepared, batch, execution);
    const result = checkToolResult(prepared.tool.name, isPending(running) ? await running : running);
    outcome = { toolCall: prepared.toolCall, result, isError: false, durationMs: millisecondsSince(started, now) };
  } catch (error) {
    const durationMs = execution.hasBegun ? millisecondsSince(started, now) : undefined;
    outcome = withDuration(createFailedOutcome(prepared.toolCall, error, run), durationMs);
  }
  ended = true;
  const reported = sink.settle();
  if (reported) await reported;
  const { afterToolCall } = hooksOf(prepared.tool, batch);
  if (afterToolCall) outcome = await runAfterHook(outcome, prepared, { afterToolCall, batch });
  batch.stepRun?.side.addDropped(context, outcome.result);
  const delivered = sink.end(outcome);
  if (delivered) await delivered;
  return outcome;
}

async function endAborted({ toolCall }: PreparedToolCall, sink: ToolCallSink): Promise<AgentToolCallOutcome> {
  const outcome = createAbortedOutcome(toolCall);
  await sink.end(outcome);
  return outcome;
}

/** Without a key for an absent duration. */
function withDuration(outcome: AgentToolCallOutcome, durationMs: number | undefined): AgentToolCallOutcome {
  return durationMs === undefined ? outcome : { ...outcome, durationMs };
}

/** Rounded to the microsecond: the digits beyond it are noise and would be stored. */
function millisecondsSince(started: number, now: (() => number) | undefined): number {
  return Math.round(((now ? now() : monotonic.now()) - started) * 1000) / 1000;
}

/** A result is dropped if an abort comes before the hook is done: the hook may exist to remove something from it. */
async function runAfterHook(
  executed: AgentToolCallOutcome,
  { toolCall, args }: PreparedToolCall,
  { afterToolCall, batch }: { afterToolCall: AfterToolCallHook; batch: ToolBatch },
): Promise<AgentToolCallOutcome> {
  const { assistantMessage, context, run } = batch;
  const { gate } = run;
  const { result, isError, durationMs } = executed;
  try {
    gate.check();
    const hookContext = { assistantMessage, toolCall, args, result, isError, context };
    return applyAfterHook(executed, await gate.wait(afterToolCall(hookContext, gate.signal)));
  } catch (error) {
    return withDuration(createFailedOutcome(toolCall, error, run), durationMs);
  }
}

interface Execution {
  report: AgentToolUpdateCallback;
  context: AgentToolContext;
  /** Whether the tool was called. */
  hasBegun: boolean;
}

/** Returns a promise only if the tool did. The result is not checked. */
function runTool(prepared: PreparedToolCall, batch: ToolBatch, execution: Execution): unknown {
  const { wrapToolCall } = hooksOf(prepared.tool, batch);
  if (!wrapToolCall) return startTool(prepared, batch, execution);
  return runWrapped(prepared, batch, { execution, wrapToolCall });
}

/** After an abort the hook gets the grace period of a listener, so that it can clean up before the call ends. */
async function runWrapped(
  prepared: PreparedToolCall,
  batch: ToolBatch,
  { execution, wrapToolCall }: { execution: Execution; wrapToolCall: WrapToolCallHook },
): Promise<unknown> {
  const { assistantMessage } = batch;
  const { gate } = batch.run;
  const { toolCall, tool, args } = prepared;
  const start = async (): Promise<AgentToolResult> => {
    gate.check();
    return checkToolResult(tool.name, await startTool(prepared, batch, execution));
  };
  const execute = (): Promise<AgentToolResult> => ignoreIfUnused(start());
  const wrapped = wrapToolCall({ assistantMessage, toolCall, tool, args }, execute, gate.signal);
  const result = await gate.waitWithGrace(Promise.resolve(wrapped));
  // If a hook swallows the abort, the call must not look complete.
  gate.check();
  return result;
}

function startTool(
  { toolCall, tool, args }: PreparedToolCall,
  { run: { gate, callSettings } }: ToolBatch,
  execution: Execution,
): unknown {
  const { report, context } = execution;
  execution.hasBegun = true;
  // `details` is passed on even if it is undefined.
  const onUpdate = report as (partialResult: AgentToolOutput) => void;
  const timeoutMs = callSettingOf(tool, callSettings, "toolTimeoutMs");
  if (!timeoutMs) return gate.wait(tool.execute(toolCall.id, args, gate.signal, onUpdate, context));
  const execute = (signal: AbortSignal) => tool.execute(toolCall.id, args, signal, onUpdate, context);
  return runWithTimeout(gate, { name: tool.name, timeoutMs }, execute);
}

interface ToolTimeout {
  /** The tool's name, for the text of the error. */
  name: string;
  timeoutMs: number;
}

/** Waits until the tool ends, the run is aborted, or the time is up. The latter two abort the tool's signal. */
async function runWithTimeout<TValue>(
  gate: AbortGate,
  { name, timeoutMs }: ToolTimeout,
  execute: (signal: AbortSignal) => TValue | PromiseLike<TValue>,
): Promise<TValue> {
  const controller = new AbortController();
  const timeout = Promise.withResolvers<never>();
  const cancel = startTimer(() => {
    const error = new DOMException(`Tool ${name} timed out after ${timeoutMs} ms`, "TimeoutError");
    timeout.reject(error);
    controller.abort(error);
  }, timeoutMs);
  try {
    return await gate.wait(Promise.race([execute(controller.signal), timeout.promise]));
  } finally {
    cancel();
    if (gate.aborted) controller.abort(gate.signal?.reason);
  }
}
