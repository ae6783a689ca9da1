/**
 * One tool call: it is prepared, then executed. Neither throws: an error in a tool or a hook becomes the call's outcome.
 * After an abort a call that has not ended gets an error result, and its later result is dropped.
 */
import type { AssistantMessage, ServerToolContent, ToolResultMessage } from "pi-ai";
import { formatThrownValue, startTimer } from "pi-ai/call";
import type { AgentContext } from "../../types/agent-context.js";
import type { AgentToolCall } from "../../types/message.js";
import type { ParentRun } from "../../types/parent-run.js";
import type { RememberedOutcome, RunSteps } from "../../types/run-steps.js";
import type { ServerToolHandler, ServerToolHandlers } from "../../types/server-tool.js";
import type {
  AgentToolCallOutcome,
  AgentToolContext,
  AgentToolOutput,
  AgentToolResult,
  AgentToolStep,
  AgentToolUpdateCallback,
  AnyAgentTool,
  StepToolCall,
} from "../../types/tool.js";
import type { AfterToolCallHook, ToolCallHooks, WrapToolCallHook } from "../../types/tool-call-hooks.js";
import { type AbortGate, ignoreIfUnused, isPending } from "../abort-gate.js";
import type { CallSettings } from "../settings/index.js";
import { besideSince, recallBeside, type SideRun } from "../side-usage.js";
import {
  applyAfterHook,
  checkToolResult,
  createAbortedOutcome,
  createBlockedOutcome,
  createErrorOutcome,
  createFailedOutcome,
} from "./tool-outcome.js";

/** The data that all calls of one response share. */
export interface ToolBatch {
  assistantMessage: AssistantMessage;
  context: AgentContext;
  gate: AbortGate;
  steps: RunSteps;
  validate: typeof import("pi-ai/validation").validateToolArguments;
  /** The values that must not appear in the text of an error result. */
  secrets: () => readonly string[];
  settings: CallSettings;
  serverToolHandlers?: ServerToolHandlers | undefined;
  /** Tools of middleware, which the hooks of tool calls do not see. */
  hiddenTools?: readonly AnyAgentTool[];
  /** Receives the ids of calls that are rejected before any hook. */
  rejectedCalls?: string[];
  /** Passed to tools. */
  run?: ParentRun;
  /** What hooks have requested beside the conversation. Absent outside of a run. */
  side?: SideRun;
}

/** The results of the tool calls of one response. */
export interface ToolBatchResult {
  /** One for each call, in the order of the calls. */
  messages: ToolResultMessage[];
  /** The ids of the calls that were rejected before any hook. */
  rejectedCalls: readonly string[];
  /** Whether every call asked for the run to end. */
  terminate: boolean;
}

/** A call that is ready to run. */
export interface PreparedToolCall extends StepToolCall {
  // biome-ignore lint/suspicious/noExplicitAny: arguments have the shape of the tool's own schema.
  args: any;
}

/** Receives the progress of one call. */
export interface ToolProgress {
  report(partialResult: AgentToolResult): void;
  /** Waits until all progress has been delivered. Never rejects. Returns undefined if there is nothing to wait for. */
  settle(): Promise<unknown> | undefined;
}

type CallHooks = Pick<CallSettings, keyof ToolCallHooks>;
type MaybePromise<TValue> = TValue | Promise<TValue>;

const NO_HOOKS: CallHooks = { beforeToolCall: undefined, wrapToolCall: undefined, afterToolCall: undefined };
// In Node, the global is a getter that runs at each use.
const monotonic = performance;

/** The hooks of tool calls do not see the tool of a middleware, such as that of a typed output. */
function hooksOf(tool: AnyAgentTool, batch: ToolBatch): CallHooks {
  return isHidden(tool, batch) ? NO_HOOKS : batch.settings;
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
  if (batch.gate.aborted && !batch.steps.stores) return createAbortedOutcome(toolCall);
  const checked = checkToolCall(toolCall, batch);
  if (isOutcome(checked)) {
    batch.rejectedCalls?.push(toolCall.id);
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
    return createFailedOutcome(toolCall, error, batch);
  }
  try {
    const call = args === toolCall.arguments ? toolCall : { ...toolCall, arguments: args };
    return { toolCall, tool, args: batch.validate(tool, call) };
  } catch (error) {
    // The validator bounds its texts itself, and the model needs each of their lines.
    return createErrorOutcome(toolCall, formatThrownValue(error));
  }
}

/** The tool of a server tool's call. Its input is not validated, because providers publish no schema of it. */
function prepareServerTool(
  toolCall: AgentToolCall,
  serverTool: ServerToolContent,
  handlers: ServerToolHandlers | undefined,
): PreparedToolCall | undefined {
  const { name } = serverTool;
  // The provider chooses the name, so inherited properties such as `constructor` must not match.
  const handler = handlers && Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (typeof handler !== "function") return undefined;
  // A copy: a hook may change the arguments, and the transcript must not change.
  return { toolCall, tool: toTool(serverTool, handler), args: structuredClone(toolCall.arguments) };
}

function toTool(serverTool: ServerToolContent, handler: ServerToolHandler): AnyAgentTool {
  return {
    name: serverTool.name,
    description: "A server tool that waits for the application",
    parameters: { type: "object" },
    execute: async (_toolCallId, input, signal, onUpdate = () => {}, context) =>
      handler({ ...serverTool, input }, { ...context, signal, onUpdate }),
  };
}

const NO_SIDE: SideRun = { sideResponses: [], rememberedSide: [] };

async function runBeforeHook(
  prepared: PreparedToolCall,
  batch: ToolBatch,
): Promise<PreparedToolCall | AgentToolCallOutcome> {
  const { assistantMessage, context, gate, steps, side = NO_SIDE } = batch;
  const { toolCall, tool, args } = prepared;
  const { beforeToolCall } = hooksOf(tool, batch);
  const fromSide = side.sideResponses.length;
  let isNew = false;
  try {
    // The hook may have changed the arguments.
    const decided = await steps.step(`beforeToolCall ${steps.keyOf(toolCall)}`, async () => {
      isNew = true;
      const verdict = await gate.wait(beforeToolCall?.({ assistantMessage, toolCall, args, context }, gate.signal));
      return { verdict, args, ...(steps.stores && besideSince(side, fromSide)) };
    });
    if (!isNew) recallBeside(side, decided.beside);
    return createBlockedOutcome(toolCall, decided.verdict) ?? { toolCall, tool, args: decided.args };
  } catch (error) {
    if (steps.failure) throw error;
    return createFailedOutcome(toolCall, error, batch);
  }
}

// --- Execute: the tool with its timeout, through `wrapToolCall`, then `afterToolCall`.

/** Runs the tool, unless an earlier process has its outcome. */
export function executeToolCall(
  prepared: PreparedToolCall,
  batch: ToolBatch,
  progress: ToolProgress,
): Promise<RememberedOutcome> {
  return batch.steps.runTool(prepared, (step) => perform(prepared, batch, { progress, step }));
}

async function perform(
  prepared: PreparedToolCall,
  batch: ToolBatch,
  { progress, step }: { progress: ToolProgress; step: AgentToolStep | undefined },
): Promise<RememberedOutcome> {
  const { toolCall, tool } = prepared;
  const { gate, run, settings } = batch;
  if (gate.aborted) return withoutCall(createAbortedOutcome(toolCall));
  let ended = false;
  const report = (partialResult: AgentToolResult): void => {
    if (!ended && !gate.aborted) progress.report(partialResult);
  };
  const context: AgentToolContext = step ? { ...step, ...(run && { run }) } : run ? { run } : {};
  const { now } = settings;
  const started = now ? now() : monotonic.now();
  let outcome: AgentToolCallOutcome;
  try {
    const running = runTool(prepared, batch, { report, context });
    const returned = isPending(running) ? await running : running;
    outcome = { toolCall, result: checkToolResult(tool.name, returned), isError: false };
  } catch (error) {
    outcome = createFailedOutcome(toolCall, error, batch);
  }
  const durationMs = millisecondsSince(started, now);
  ended = true;
  const reported = progress.settle();
  if (reported) await reported;
  const { afterToolCall } = hooksOf(tool, batch);
  const { result, isError } = afterToolCall ? await runAfterHook(outcome, prepared, { afterToolCall, batch }) : outcome;
  return { result, isError, durationMs };
}

function withoutCall({ result, isError }: AgentToolCallOutcome): RememberedOutcome {
  return { result, isError };
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
  const { assistantMessage, context, gate } = batch;
  const { result, isError } = executed;
  try {
    gate.check();
    const hookContext = { assistantMessage, toolCall, args, result, isError, context };
    return applyAfterHook(executed, await gate.wait(afterToolCall(hookContext, gate.signal)));
  } catch (error) {
    return createFailedOutcome(toolCall, error, batch);
  }
}

interface Execution {
  report: AgentToolUpdateCallback;
  context: AgentToolContext;
}

/** Returns a promise only if the tool did. The result is not checked. */
function runTool(prepared: PreparedToolCall, batch: ToolBatch, execution: Execution): unknown {
  const { wrapToolCall } = hooksOf(prepared.tool, batch);
  if (!wrapToolCall) return startTool(prepared, batch, execution);
  return runWrapped(prepared, batch, { ...execution, wrapToolCall });
}

/** After an abort the hook gets the grace period of a listener, so that it can clean up before the call ends. */
async function runWrapped(
  prepared: PreparedToolCall,
  batch: ToolBatch,
  { wrapToolCall, ...execution }: Execution & { wrapToolCall: WrapToolCallHook },
): Promise<unknown> {
  const { assistantMessage, gate } = batch;
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
  { gate, settings }: ToolBatch,
  { report, context }: Execution,
): unknown {
  // `details` is passed on even if it is undefined.
  const onUpdate = report as (partialResult: AgentToolOutput) => void;
  const timeoutMs = tool.toolTimeoutMs ?? settings.toolTimeoutMs;
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

// --- The texts for calls that were not run.

function describeMissingHandler(name: string): string {
  return `Server tool ${name} was not run: the application has no handler for it in serverToolHandlers`;
}

/** For a call whose arguments are incomplete. */
function describeArgumentsError(toolCall: AgentToolCall, truncated: boolean): string {
  const cause = truncated ? " The response reached its output limit." : "";
  return (
    `Tool ${toolCall.name} was not run: its arguments are not one complete JSON object (${toolCall.argumentsError}).` +
    `${cause} Send the call again with complete arguments.`
  );
}

/** For a call of a response that was cut off by its output limit. */
function describeTruncation(toolCall: AgentToolCall): string {
  return (
    `Tool ${toolCall.name} was not run: the response reached its output limit, so the call may be incomplete. ` +
    "Send the call again."
  );
}
