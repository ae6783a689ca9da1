/** The tool calls of one response, one after the other or in parallel. docs/architecture.md lists their events and hooks. */
import {
  createOrderMark,
  createRequestOutcome,
  prepareToWait,
  type RecordedResult,
  WaitingCalls,
  withUserChange,
} from "../pause/index.js";
import type { AgentToolCall } from "../types/message.js";
import type { RunHooks, ToolVerdict } from "../types/middleware.js";
import type { AgentToolCallOutcome, AgentToolResult } from "../types/tool.js";
import type { AgentRun } from "./agent-run.js";
import { executeTool } from "./execute-tool.js";
import { findTool } from "./find-tool.js";
import { inParallel } from "./in-parallel.js";
import { prepareToolCall } from "./prepare-call.js";
import { shownArgumentsOf } from "./tool-arguments.js";
import { type PreparedToolCall, refuse, type StagedToolCall, type ToolBatch } from "./tool-call.js";
import { createAbortedOutcome, createBlockedOutcome, createErrorOutcome, createFailedOutcome } from "./tool-outcome.js";

/** A call that has its result, or that waits for people. */
export interface SettledCall {
  /** The id of the call. */
  readonly id: string;
  /** Its result. Absent if the call waits. */
  readonly message: RecordedResult | undefined;
  /** See `RefusedToolCall`. */
  readonly isRejected: boolean;
}

/** The results of calls, in the order of the calls. */
export function resultsOf(calls: readonly SettledCall[]): RecordedResult[] {
  return calls.map(({ message }) => message).filter((message) => message !== undefined);
}

interface RunBatch extends ToolBatch<AgentRun> {
  readonly waiting: WaitingCalls;
}

/** Runs the calls of a response and emits their events and results. After an abort every call still gets a result. */
export async function executeToolCalls(
  run: AgentRun,
  toolCalls: readonly AgentToolCall[],
  {
    assistantMessage,
    pausedCalls,
    hasNewMessage,
  }: Pick<ToolBatch, "assistantMessage" | "pausedCalls" | "hasNewMessage">,
): Promise<readonly SettledCall[]> {
  run.openToolCalls.add(toolCalls);
  const batch: RunBatch = {
    run,
    assistantMessage,
    context: run.transcript.context,
    callSettings: run.settings.callSettings,
    serverToolHandlers: run.settings.config.serverToolHandlers,
    hiddenTools: run.middleware.tools?.(assistantMessage),
    pausedCalls,
    waiting: new WaitingCalls(assistantMessage, pausedCalls),
    hasNewMessage,
    report: (toolCall, partialResult) => emitProgress(run, toolCall, partialResult),
  };
  const groups = isSequential(run, toolCalls) ? toolCalls.map((toolCall) => [toolCall]) : [toolCalls];
  const settled: SettledCall[] = [];
  let isWaiting = false;
  // Hooks of tool calls see the conversation without the results of siblings.
  run.transcript.holdResults();
  for (const group of groups) {
    const ended: SettledCall[] = isWaiting ? await deferCalls(group, batch) : await executeGroup(group, batch);
    isWaiting ||= ended.some(({ message }) => !message);
    for (const call of ended) settled.push(call);
  }
  await run.transcript.releaseResults();
  run.sideUsage.endCalls();
  return settled;
}

function isSequential(run: AgentRun, toolCalls: readonly AgentToolCall[]): boolean {
  if (run.settings.config.toolExecution === "sequential") return true;
  const { tools } = run.transcript.context;
  return toolCalls.some(({ name, serverTool }) => !serverTool && findTool(tools, name)?.executionMode === "sequential");
}

/** Every call is prepared before the first one runs, so that hooks can ask the user before any effect. */
async function executeGroup(toolCalls: readonly AgentToolCall[], batch: RunBatch): Promise<SettledCall[]> {
  const { run } = batch;
  // 1. Prepare each.
  const staged: StagedToolCall[] = [];
  for (const toolCall of toolCalls) {
    await run.beginToolCall(toolCall);
    await run.openResponse.letOthersRun();
    const call = await prepareToolCall(toolCall, batch);
    // A call that must not run ends here.
    staged.push(call.stage === "refused" ? { ...call, outcome: await endCall(call.outcome, batch) } : call);
  }
  await run.openResponse.letOthersRun();
  // 2. Ask about all.
  const calls = await askBeforeTools(staged, batch);
  const allowed = calls.filter((call) => call.stage === "prepared");
  if (batch.pausedCalls) for (const { toolCall } of allowed) await run.addMark(toolCall, { state: "begun" });
  // 3. Run.
  const { maxParallelTools = calls.length } = run.settings.config;
  const outcomes = await run.steps.runTools(allowed, () =>
    inParallel(calls, maxParallelTools, async (call) => {
      if (call.stage === "refused") return call.outcome;
      // If the event sink threw, the run is failing; start no more tools.
      run.events.assertDelivered();
      // Unless an earlier process has its outcome.
      const running = run.steps.runTool(call, (step) => executeTool(call, batch, step));
      const outcome = await running.catch((error: unknown) => failTogether(run, error));
      // An error of the event sink never reaches the tool; it is thrown when the call has ended.
      run.events.assertDelivered();
      return endCall(outcome, batch);
    }),
  );
  // 4. Add the results, in the order of the calls.
  const settled: SettledCall[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const call = calls[index];
    const isRejected = call?.stage === "refused" && call.isRejected;
    settled.push({ id: outcome.toolCall.id, message: await addOutcome(run, outcome), isRejected });
  }
  return settled;
}

/** Asks the hooks that decide about all calls at once, and ends the calls that they refuse. */
async function askBeforeTools(staged: readonly StagedToolCall[], batch: RunBatch): Promise<readonly StagedToolCall[]> {
  const { beforeTools } = batch.run.middleware;
  const isAsked = (call: StagedToolCall): call is PreparedToolCall => call.stage === "prepared" && !call.isHidden;
  const asked = staged.filter(isAsked);
  if (!beforeTools || asked.length === 0) return staged;
  const refused = await refusalsOf(asked, batch, beforeTools);
  const calls: StagedToolCall[] = [];
  for (const call of staged) {
    const outcome = call.stage === "prepared" ? refused.get(call) : undefined;
    calls.push(outcome ? refuse(await endCall(outcome, batch)) : call);
  }
  return calls;
}

/** The outcomes of the calls that must not run. */
async function refusalsOf(
  calls: readonly PreparedToolCall[],
  batch: RunBatch,
  beforeTools: NonNullable<RunHooks["beforeTools"]>,
): Promise<ReadonlyMap<PreparedToolCall, AgentToolCallOutcome>> {
  const { run, pausedCalls } = batch;
  const refused = new Map<PreparedToolCall, AgentToolCallOutcome>();
  try {
    const asked = calls.map((call) => ({
      toolCall: call.toolCall,
      tool: call.tool,
      args: call.args,
      shown: shownArgumentsOf(call),
      paused: pausedCalls?.get(call.toolCall.id),
    }));
    const verdicts = (await run.gate.waitWithGrace(beforeTools(asked))) ?? [];
    for (const [index, call] of calls.entries()) {
      const outcome = createRefusedOutcome(call, verdicts[index], batch);
      if (outcome) refused.set(call, run.gate.aborted ? createAbortedOutcome(call.toolCall) : outcome);
    }
  } catch (error) {
    if (run.steps.failure) throw error;
    for (const call of calls) refused.set(call, createFailedOutcome(call.toolCall, error, run));
  }
  return refused;
}

/** For a call that a hook blocked, or that waits for an answer; undefined if it may run. */
function createRefusedOutcome(
  { toolCall }: PreparedToolCall,
  verdict: ToolVerdict,
  batch: RunBatch,
): AgentToolCallOutcome | undefined {
  const request = verdict?.pause;
  return request && !verdict.block
    ? createRequestOutcome(toolCall, request, batch)
    : createBlockedOutcome(toolCall, verdict);
}

/** Throws the error of an engine. The other calls must not go on: nothing more can be stored of them. */
function failTogether(run: AgentRun, error: unknown): never {
  if (run.steps.failure) run.options.abort();
  throw error;
}

/** An error of the event sink is thrown when the call has ended. */
async function emitProgress(
  run: AgentRun,
  { id: toolCallId, name: toolName, arguments: args }: AgentToolCall,
  partialResult: AgentToolResult,
): Promise<void> {
  try {
    await run.emit({ type: "tool_execution_update", toolCallId, toolName, args, partialResult });
  } catch {
    // See `assertDelivered`.
  }
}

/**
 * Emits the end of a call. If the run is aborted before that event, a call that would wait ends as aborted; once the event has said that
 * it waits, it waits.
 */
async function endCall(ended: AgentToolCallOutcome, batch: RunBatch): Promise<AgentToolCallOutcome> {
  const { run } = batch;
  const decided = ended.pause ? await prepareToWait(ended, ended.pause, batch) : withUserChange(ended, batch);
  const outcome = decided.pause && run.gate.aborted ? createAbortedOutcome(decided.toolCall) : decided;
  await run.endToolCall(outcome);
  return outcome;
}

/** Adds the result of a call to the conversation and returns it, or adds the mark of one that waits. */
async function addOutcome(run: AgentRun, outcome: AgentToolCallOutcome): Promise<RecordedResult | undefined> {
  const { toolCall, result, pause } = outcome;
  if (!pause) return run.addToolResult(outcome);
  await run.addMark(toolCall, pause, result.details);
  return undefined;
}

/** Lets the calls of a sequential batch wait that come after one that waits. Those that cannot end with an error, and are returned. */
async function deferCalls(toolCalls: readonly AgentToolCall[], batch: RunBatch): Promise<SettledCall[]> {
  const { run } = batch;
  const settled: SettledCall[] = [];
  for (const toolCall of toolCalls) {
    const problem = batch.waiting.add(toolCall);
    if (problem) {
      await run.beginToolCall(toolCall);
      const refused = createErrorOutcome(toolCall, problem);
      await run.endToolCall(refused);
      settled.push({ id: toolCall.id, message: await addOutcome(run, refused), isRejected: false });
    } else {
      const mark = await createOrderMark(toolCall, batch);
      if (mark) await run.addMark(toolCall, mark);
    }
  }
  return settled;
}

/** Ends the calls of a run that fails: those without a result get the error. */
export async function closeToolCalls(run: AgentRun, error: unknown): Promise<void> {
  for (const { toolCall, isAnnounced, outcome } of run.openToolCalls.take()) {
    const ended = outcome ?? createFailedOutcome(toolCall, error, run);
    if (!isAnnounced) await run.beginToolCall(toolCall);
    if (!outcome) await run.endToolCall(ended);
    await addOutcome(run, ended);
  }
}
