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
import { formatThrownValue } from "pi-ai/call";
import type { ArgumentChanges, WatchedArguments } from "pi-ai/validation";
import { type AbortGate, ignoreIfUnused, OperationAborted } from "../abort-gate.js";
import {
  createQuestions,
  createWaitingOutcome,
  describeRefusal,
  describeUnknownEffect,
  shownArguments,
} from "../pause/index.js";
import { type CallSettings, callSettingOf } from "../settings.js";
import type { SideUsage } from "../side-usage.js";
import { checkHookResult, toToolResult } from "../tool-result.js";
import type { AgentContext } from "../types/agent-context.js";
import type { AgentToolCall } from "../types/message.js";
import type { ParentRun } from "../types/parent-run.js";
import type { PausedCall } from "../types/pause.js";
import type { RunSteps } from "../types/run-steps.js";
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
} from "../types/tool.js";
import type {
  AfterToolCallHook,
  BeforeToolCallHook,
  ToolCallHooks,
  WrapToolCallHook,
} from "../types/tool-call-hooks.js";
import { findServerTool, findTool } from "./find-tool.js";
import { startStopwatch } from "./stopwatch.js";
import {
  applyAfterHook,
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
  /** The values that must not appear in the text of an error result. */
  secrets(): readonly string[];
  /** They are closed if the run is over or failing: no tool may start. */
  readonly events?: { readonly closed: boolean };
  /** Passed to tools. */
  readonly asParent?: ParentRun;
  /** Counts the usage of agents that tools run. */
  readonly side?: SideUsage;
  /** Unix time in milliseconds. */
  now?(): number;
}

/** The calls of one response are a batch. This is what they share. */
export interface BatchContext<TRun extends ToolRun = ToolRun> {
  readonly run: TRun;
  readonly assistantMessage: AssistantMessage;
  readonly context: AgentContext;
  readonly settings: CallSettings;
  readonly serverToolHandlers?: ServerToolHandlers | undefined;
  /** Tools of middleware, which the hooks of tool calls do not see. */
  readonly hiddenTools?: readonly AnyAgentTool[] | undefined;
  /** The calls that have paused in an earlier run, by their ids. */
  readonly pausedCalls?: ReadonlyMap<string, PausedCall> | undefined;
  /** The user has written a message since, so a call that would wait is declined. */
  readonly declines?: boolean | undefined;
  /** Receives what a running tool reports. Never throws or rejects; a promise is waited for when the tool has ended. */
  report(toolCall: AgentToolCall, partialResult: AgentToolResult): Promise<void> | undefined;
}

type Validation = Pick<typeof import("pi-ai/validation"), "parseToolArguments" | "watchArguments">;

let validation: Validation | undefined;

/** Loads the validator, which only tools need. A failure is not kept: the next call tries again. */
export async function loadValidation(): Promise<Validation> {
  validation ??= await import("pi-ai/validation");
  return validation;
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

export type NextToolCall = PreparedToolCall | RefusedToolCall;

/** Refuses a call because of a person, a hook or an abort. */
export function refuse(outcome: AgentToolCallOutcome): RefusedToolCall {
  return { stage: "refused", outcome, isRejected: false };
}

/** Refuses a call that is wrong. */
function reject(outcome: AgentToolCallOutcome): RefusedToolCall {
  return { stage: "refused", outcome, isRejected: true };
}

type CallHooks = Pick<CallSettings, keyof ToolCallHooks>;

const NO_HOOKS: CallHooks = { beforeToolCall: undefined, wrapToolCall: undefined, afterToolCall: undefined };

function hooksOf({ isHidden }: PreparedToolCall, { settings }: BatchContext): CallHooks {
  return isHidden ? NO_HOOKS : settings;
}

// --- Prepare: find the tool, check the arguments, ask `beforeToolCall`.

export async function prepareToolCall(toolCall: AgentToolCall, batch: BatchContext): Promise<NextToolCall> {
  const { gate, steps } = batch.run;
  // A run whose steps are stored takes the same ones after an abort, so that another process can repeat them.
  if (gate.aborted && !steps.stores) return refuse(createAbortedOutcome(toolCall));
  const found = admitCall(toolCall, batch);
  const checked = found.stage === "prepared" ? await checkArguments(found, batch) : found;
  if (checked.stage === "refused") return checked;
  const { beforeToolCall } = hooksOf(checked, batch);
  return beforeToolCall ? askBeforeHook(checked, batch, beforeToolCall) : checked;
}

/** Finds the tool of a call, or why the call must not run. The arguments are still those of the model. */
function admitCall(toolCall: AgentToolCall, batch: BatchContext): NextToolCall {
  const { name, serverTool, arguments: args } = toolCall;
  const paused = batch.pausedCalls?.get(toolCall.id);
  const refusal = describeRefusal(name, paused);
  if (refusal !== undefined) return refuse(createErrorOutcome(toolCall, refusal, { declined: true }));
  const hidden = serverTool ? undefined : findTool(batch.hiddenTools, name);
  const tool = serverTool
    ? findServerTool(toolCall, batch.serverToolHandlers)
    : (hidden ?? findTool(batch.context.tools, name));
  const missing = serverTool ? describeMissingHandler(name) : `Tool ${name} not found`;
  if (!tool) return reject(createErrorOutcome(toolCall, missing));
  if (paused?.hasBegun && tool.replay !== "safe")
    return refuse(createErrorOutcome(toolCall, describeUnknownEffect(name)));
  const truncated = batch.assistantMessage.stopReason === "length";
  if (toolCall.argumentsError !== undefined)
    return reject(createErrorOutcome(toolCall, describeArgumentsError(toolCall, truncated)));
  // The limit may also have cut off calls that would have changed what this one means.
  if (truncated) return reject(createErrorOutcome(toolCall, describeTruncation(toolCall)));
  return { stage: "prepared", toolCall, tool, args, isHidden: tool === hidden };
}

async function checkArguments(found: PreparedToolCall, { run }: BatchContext): Promise<NextToolCall> {
  const { toolCall, tool } = found;
  let args = toolCall.arguments;
  // Providers publish no schema of a server tool. A copy: a hook may change the arguments, and the transcript must not change.
  if (toolCall.serverTool) return { ...found, args: structuredClone(args) };
  try {
    // It may return anything. The validator checks it.
    if (tool.prepareArguments) args = tool.prepareArguments(structuredClone(args)) as typeof args;
  } catch (error) {
    return reject(createFailedOutcome(toolCall, error, run));
  }
  try {
    const { parseToolArguments, watchArguments } = validation ?? (await loadValidation());
    const call = args === toolCall.arguments ? toolCall : { ...toolCall, arguments: args };
    const parsing = parseToolArguments(tool, call);
    // A rule of a library may wait for anything. Stored steps go on after an abort, see above.
    const parsed = await (run.steps.stores ? parsing : run.gate.wait(parsing));
    return { ...found, args: parsed, watched: watchArguments(tool, call, parsed) };
  } catch (error) {
    if (error instanceof OperationAborted) return refuse(createAbortedOutcome(toolCall));
    // The validator bounds its texts itself, and the model needs each of their lines.
    return reject(createErrorOutcome(toolCall, formatThrownValue(error)));
  }
}

/** Calls `beforeToolCall` as a step of its own, which stores what the hook has changed in the arguments. */
async function askBeforeHook(
  prepared: PreparedToolCall,
  batch: BatchContext,
  beforeToolCall: BeforeToolCallHook,
): Promise<NextToolCall> {
  const { assistantMessage, context, run } = batch;
  const { gate, steps } = run;
  const { toolCall, args, watched } = prepared;
  try {
    const answer = await steps.step(`beforeToolCall ${steps.keyOf(toolCall)}`, async () => {
      const verdict = await gate.wait(beforeToolCall({ assistantMessage, toolCall, args, context }, gate.signal));
      // Values of a library may not survive JSON, so each process parses the arguments itself.
      return watched ? { verdict, changes: watched.changes } : { verdict, args };
    });
    const blocked = createBlockedOutcome(toolCall, answer.verdict);
    if (blocked) return refuse(blocked);
    if (!watched) return { ...prepared, args: answer.args };
    return answer.changes ? await parseAgain(prepared, answer.changes, run) : prepared;
  } catch (error) {
    if (steps.failure) throw error;
    return refuse(createFailedOutcome(toolCall, error, run));
  }
}

/** Parses arguments that a hook has changed by the rules of the library. */
async function parseAgain(
  prepared: PreparedToolCall,
  changes: ArgumentChanges,
  { gate, steps }: ToolRun,
): Promise<PreparedToolCall> {
  const { toolCall, tool, watched } = prepared;
  if (!watched) return prepared;
  const { watchArguments } = await loadValidation();
  const parsing = watched.parse(changes);
  // As in `checkArguments`: a rule may wait for anything.
  const args = await (steps.stores ? parsing : gate.wait(parsing));
  return { ...prepared, args, watched: watchArguments(tool, toolCall, args) };
}

// --- Execute: the tool with its timeout, through `wrapToolCall`, then `afterToolCall`.

/** Calls the hooks around a tool, and makes an outcome of what it returned or threw. */
export async function executeTool(
  prepared: PreparedToolCall,
  batch: BatchContext,
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
  const elapsed = startStopwatch(batch.settings.now);
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
  run.side?.endCall(execution.context, outcome.result);
  return outcome;
}

/** Returns what checks the answers to the questions of a tool. Anything but an object does not fit, which the validator says. */
function createAnswerParser(toolCall: AgentToolCall): (parameters: object, value: unknown) => Promise<unknown> {
  return async (parameters, value) => {
    const { parseToolArguments } = await loadValidation();
    const question = { name: toolCall.name, description: "", parameters };
    // The validator checks what it is.
    return parseToolArguments(question, { ...toolCall, arguments: value as AgentToolCall["arguments"] });
  };
}

/** The arguments of a call for people. */
export function shownArgumentsOf({ toolCall, args, watched }: PreparedToolCall): AgentToolCall["arguments"] {
  return shownArguments(toolCall, args, watched !== undefined);
}

/** A result is dropped if an abort comes before the hook is done: the hook may exist to remove something from it. */
async function askAfterHook(
  executed: AgentToolCallOutcome,
  { toolCall, args }: PreparedToolCall,
  { batch, afterToolCall }: { batch: BatchContext; afterToolCall: AfterToolCallHook },
): Promise<AgentToolCallOutcome> {
  const { assistantMessage, context, run } = batch;
  const { gate } = run;
  const { result, isError, durationMs } = executed;
  try {
    gate.check();
    const ended = { assistantMessage, toolCall, args, result, isError, context };
    return applyAfterHook(executed, await gate.wait(afterToolCall(ended, gate.signal)));
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
  batch: BatchContext,
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
  { run, settings }: BatchContext,
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
  const milliseconds = callSettingOf(tool, settings, "toolTimeoutMs");
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
