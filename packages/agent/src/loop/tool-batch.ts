/** The tool calls of one response, one after the other or in parallel. docs/architecture.md lists their events and hooks. */
import type { AssistantMessage, ServerToolContent, ToolResultMessage } from "pi-ai";
import { AgentStateError } from "../errors.js";
import {
  createKeys,
  describeChange,
  describeOpen,
  findPausedResponse,
  pendingRequests,
  planResume,
  withChanges,
} from "../pause/index.js";
import type { AgentToolCall } from "../types/message.js";
import type { ToolVerdict } from "../types/middleware.js";
import type { AgentToolCallOutcome, AgentToolResult, StepToolCall } from "../types/tool.js";
import type { AgentRun } from "./agent-run.js";
import { findTool } from "./find-tool.js";
import {
  executeToolCall,
  isOutcome,
  type NextToolCall,
  type PreparedToolCall,
  prepareToolCall,
  shownOf,
  type ToolBatch,
} from "./tool-call.js";
import {
  createAbortedOutcome,
  createBlockedOutcome,
  createFailedOutcome,
  createWaitingOutcome,
} from "./tool-outcome.js";

/** The results of the tool calls of one response. */
export interface ToolBatchResult {
  /** One for each call, in the order of the calls. */
  messages: ToolResultMessage[];
  /** The ids of the calls that were rejected before any hook. */
  rejectedCalls: string[];
  /** Whether every call asked for the run to end. */
  terminate: boolean;
  /** Whether a call has paused: the run ends. */
  isPaused: boolean;
}

/**
 * Returns the tool calls of a response, in the order of its blocks. A server tool that waits for the application counts as
 * one, so that hooks, events, limits, aborts and the steps of durable runs treat both alike.
 */
export function findToolCalls({ content }: AssistantMessage): AgentToolCall[] {
  const toolCalls: AgentToolCall[] = [];
  for (const block of content) {
    if (block.type === "toolCall") toolCalls.push(block);
    else if (block.type === "serverTool" && block.status === "waiting") toolCalls.push(toToolCall(block));
  }
  return toolCalls;
}

function toToolCall(serverTool: ServerToolContent): AgentToolCall {
  const { id, name, input = {} } = serverTool;
  return { type: "toolCall", id, name, arguments: input, serverTool };
}

/** Runs the calls of a response and emits their events and results. After an abort every call still gets a result. */
export async function executeToolCalls(
  run: AgentRun,
  assistantMessage: AssistantMessage,
  toolCalls: readonly AgentToolCall[],
  paused?: ToolBatch["paused"],
): Promise<ToolBatchResult> {
  const batch: Batch = {
    run,
    assistantMessage,
    context: run.context,
    serverToolHandlers: run.config.serverToolHandlers,
    hiddenTools: run.middleware.tools?.(assistantMessage),
    paused,
    report: (toolCall, partialResult) => emitProgress(run, toolCall, partialResult),
    result: { messages: [], rejectedCalls: [], terminate: true, isPaused: false },
  };
  const groups = isSequential(run, toolCalls) ? toolCalls.map((toolCall) => [toolCall]) : [toolCalls];
  for (const group of groups) {
    if (!batch.result.isPaused) await executeGroup(run, batch, group);
    else for (const toolCall of group) await defer(run, batch, toolCall);
  }
  return batch.result;
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

/** A call of a sequential batch comes after the one that waits. */
async function defer(run: AgentRun, { context, paused }: Batch, toolCall: AgentToolCall): Promise<void> {
  const { id, name: toolName, arguments: args } = toolCall;
  if (paused?.has(id)) return;
  const key = createKeys(context.messages)(id);
  const order = { id: `${key}!`, kind: "order", toolCallId: id, toolName, arguments: args } as const;
  const requests = (await run.middleware.beforePause?.([order], toolCall)) ?? [order];
  await run.mark(toolCall, { state: "waiting", key, requests });
}

/**
 * Goes on with a conversation that has paused: runs the calls that have their answers, before the first request. If others
 * still wait, the run pauses again.
 *
 * @param hasPrompts whether the run has new messages
 * @throws AgentStateError if it has some, and a request is open
 */
export async function resumeToolCalls(run: AgentRun, hasPrompts: boolean): Promise<void> {
  const { onNewMessage } = run.config;
  const { messages } = run.context;
  const resumed = planResume(messages, { now: run.now(), onNewMessage, hasPrompts });
  if (!resumed) return;
  const { message, calls, marks, runnable } = resumed;
  for (const mark of marks) await run.deliver(mark);
  const rest = new Set(runnable);
  // Only the first one of calls with the same id: the request showed its arguments.
  const toolCalls = findToolCalls(message).filter(({ id }) => rest.delete(id));
  run.holdResults();
  const batch = await executeToolCalls(
    run,
    message,
    toolCalls.map((toolCall) => withChanges(toolCall, calls.get(toolCall.id))),
    calls,
  );
  await run.releaseResults();
  run.resumedResults = batch.messages;
  // After an abort, the response that closes the run comes next.
  if (run.gate.aborted || !findPausedResponse(messages)) return;
  run.pause = { requests: pendingRequests(messages) };
  await run.emit({ type: "turn_end", message, toolResults: batch.messages });
  if (hasPrompts) throw new AgentStateError(describeOpen(messages, "Cannot take a message"));
}

interface Batch extends ToolBatch {
  /** The results so far. */
  readonly result: ToolBatchResult;
}

/** Every call is prepared before the first one runs, so that hooks can ask the user before any effect. */
async function executeGroup(run: AgentRun, batch: Batch, toolCalls: readonly AgentToolCall[]): Promise<void> {
  const { result } = batch;
  const prepared: NextToolCall[] = [];
  for (const toolCall of toolCalls) {
    await run.beginToolCall(toolCall);
    const next = await prepareToolCall(toolCall, batch, ({ id }) => result.rejectedCalls.push(id));
    // A call that must not run ends here.
    prepared.push(isOutcome(next) ? await end(run, batch, next) : next);
  }
  const { beforeTools } = run.middleware;
  const allowed = beforeTools ? await askForAll(run, batch, { prepared, beforeTools }) : prepared;
  const calls = allowed.filter((next): next is PreparedToolCall => !isOutcome(next));
  if (batch.paused) for (const { toolCall } of calls) await run.mark(toolCall, { state: "begun" });
  const outcomes = await run.steps.runTools(calls, () => executeAll(run, batch, allowed));
  for (const outcome of outcomes) {
    if (outcome.pause && !run.gate.aborted) {
      result.isPaused = true;
      await run.mark(outcome.toolCall, outcome.pause, outcome.result.details);
      continue;
    }
    if (outcome.result.terminate !== true) result.terminate = false;
    await run.addToolResult(outcome.pause ? createAbortedOutcome(outcome.toolCall) : outcome, result.messages);
  }
}

/**
 * Emits the end of a call. The model learns of arguments that the user has changed. The requests of a call that waits go
 * through the hooks that sign them.
 */
async function end(run: AgentRun, batch: Batch, ended: AgentToolCallOutcome): Promise<AgentToolCallOutcome> {
  let outcome = ended;
  const { toolCall, pause, result } = ended;
  const change = pause ? undefined : describeChange(batch.paused?.get(toolCall.id));
  if (change)
    outcome = { ...ended, result: { ...result, content: [{ type: "text", text: change }, ...result.content] } };
  const { beforePause } = run.middleware;
  if (pause && beforePause)
    outcome = { ...ended, pause: { ...pause, requests: await beforePause(pause.requests, toolCall) } };
  await run.endToolCall(outcome);
  return outcome;
}

type BeforeTools = NonNullable<AgentRun["middleware"]["beforeTools"]>;

/** Asks the hooks that decide about all calls at once. */
async function askForAll(
  run: AgentRun,
  batch: Batch,
  { prepared, beforeTools }: { prepared: readonly NextToolCall[]; beforeTools: BeforeTools },
): Promise<NextToolCall[]> {
  const isAsked = (next: NextToolCall): next is PreparedToolCall => !(isOutcome(next) || next.isHidden);
  const refused = await refuse(run, prepared.filter(isAsked), { beforeTools, paused: batch.paused });
  const allowed: NextToolCall[] = [];
  for (const next of prepared) {
    const outcome = isOutcome(next) ? undefined : refused.get(next);
    allowed.push(outcome ? await end(run, batch, outcome) : next);
  }
  return allowed;
}

/** The outcomes of the calls that must not run. */
async function refuse(
  run: AgentRun,
  calls: readonly PreparedToolCall[],
  { beforeTools, paused }: { beforeTools: BeforeTools; paused: ToolBatch["paused"] },
): Promise<ReadonlyMap<PreparedToolCall, AgentToolCallOutcome>> {
  const refused = new Map<PreparedToolCall, AgentToolCallOutcome>();
  if (calls.length === 0) return refused;
  try {
    const verdicts =
      (await run.gate.waitWithGrace(
        beforeTools(
          calls.map((call) => ({
            ...stepCallOf(call),
            shown: shownOf(call),
            paused: paused?.get(call.toolCall.id),
          })),
        ),
      )) ?? [];
    for (const [index, call] of calls.entries()) {
      const blocked = createRefusedOutcome(call, verdicts[index], paused);
      if (blocked) refused.set(call, run.gate.aborted ? createAbortedOutcome(call.toolCall) : blocked);
    }
  } catch (error) {
    if (run.steps.failure) throw error;
    for (const call of calls) refused.set(call, createFailedOutcome(call.toolCall, error, run));
  }
  return refused;
}

function stepCallOf({ toolCall, tool, args }: PreparedToolCall): StepToolCall {
  return { toolCall, tool, args };
}

/** For a call that a hook blocked, or that waits for an answer; undefined if it may run. */
function createRefusedOutcome(
  { toolCall }: PreparedToolCall,
  verdict: ToolVerdict,
  paused: ToolBatch["paused"],
): AgentToolCallOutcome | undefined {
  const request = verdict?.pause;
  if (!request || verdict.block) return createBlockedOutcome(toolCall, verdict);
  const key = paused?.get(toolCall.id)?.key ?? request.id;
  return createWaitingOutcome(toolCall, { state: "waiting", key, requests: [request] });
}

/** Executes calls in parallel, starting them in their order, at most `maxParallelTools` at a time. */
async function executeAll(
  run: AgentRun,
  batch: Batch,
  calls: readonly NextToolCall[],
): Promise<readonly AgentToolCallOutcome[]> {
  const { maxParallelTools = calls.length } = run.config;
  const outcomes: AgentToolCallOutcome[] = [];
  // Each worker takes the next call.
  const waiting = calls.entries();
  const work = async (): Promise<void> => {
    for (const [index, next] of waiting) {
      // If the event sink threw, the run is failing; start no more tools.
      if (run.closed) return;
      outcomes[index] = isOutcome(next) ? next : await execute(run, batch, next);
    }
  };
  await Promise.all(Array.from({ length: Math.min(calls.length, maxParallelTools) }, work));
  return outcomes;
}

/** Executes one call and emits its end. An error of the event sink never reaches the tool; it is thrown when the call has ended. */
async function execute(run: AgentRun, batch: Batch, call: PreparedToolCall): Promise<AgentToolCallOutcome> {
  const outcome = await executeToolCall(call, batch);
  run.assertDelivered();
  return await end(run, batch, outcome);
}

function isSequential(run: AgentRun, toolCalls: readonly AgentToolCall[]): boolean {
  if (run.config.toolExecution === "sequential") return true;
  const { tools } = run.context;
  return toolCalls.some(({ name, serverTool }) => !serverTool && findTool(tools, name)?.executionMode === "sequential");
}
