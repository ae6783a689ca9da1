/** The calls of one answer, one after the other or together: two orders over the same steps. */
import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import type { AgentToolCall } from "../types/message.js";
import type { AgentToolCallOutcome } from "../types/tool.js";
import type { AgentRun } from "./agent-run.js";
import { findTool, type ValidateToolArguments } from "./tool-arguments.js";
import type { ToolBatchResult } from "./tool-batch-result.js";
import {
  executeToolCall,
  isOutcome,
  type PreparedToolCall,
  prepareToolCall,
  type ToolCallContext,
} from "./tool-call.js";
import { ToolProgress } from "./tool-progress.js";

/** Runs the calls of an answer and emits their events and results. After an abort every call still gets its result. */
export async function runToolCalls(
  run: AgentRun,
  assistantMessage: AssistantMessage,
  toolCalls: readonly AgentToolCall[],
  validate: ValidateToolArguments,
): Promise<ToolBatchResult> {
  const { beforeToolCall, afterToolCall, toolTimeoutMs } = run.config;
  const { context, gate } = run;
  const hooks = { beforeToolCall, afterToolCall, toolTimeoutMs };
  const call: ToolCallContext = { assistantMessage, context, gate, validate, ...hooks };
  const runBatch = isSequential(run, toolCalls) ? runSequentially : runInParallel;
  const { outcomes, messages } = await runBatch(run, call, toolCalls);
  for (const message of messages) run.add(message);
  return { messages, terminate: outcomes.every((outcome) => outcome.result.terminate === true) };
}

interface Batch {
  outcomes: AgentToolCallOutcome[];
  messages: ToolResultMessage[];
}

async function runSequentially(
  run: AgentRun,
  call: ToolCallContext,
  toolCalls: readonly AgentToolCall[],
): Promise<Batch> {
  const batch: Batch = { outcomes: [], messages: [] };
  for (const toolCall of toolCalls) {
    await run.emitToolStart(toolCall);
    const prepared = await prepareToolCall(toolCall, call);
    const outcome = isOutcome(prepared) ? prepared : await execute(run, call, prepared);
    await run.emitToolEnd(outcome);
    batch.outcomes.push(outcome);
    batch.messages.push(await emitResult(run, outcome));
  }
  return batch;
}

/** Every call is prepared before the first one runs, so that a question to the user comes before any effect. */
async function runInParallel(
  run: AgentRun,
  call: ToolCallContext,
  toolCalls: readonly AgentToolCall[],
): Promise<Batch> {
  const prepared: (PreparedToolCall | AgentToolCallOutcome)[] = [];
  for (const toolCall of toolCalls) {
    await run.emitToolStart(toolCall);
    const next = await prepareToolCall(toolCall, call);
    if (isOutcome(next)) await run.emitToolEnd(next);
    prepared.push(next);
  }
  const outcomes = await runLimited(run, prepared, async (next) => {
    if (isOutcome(next)) return next;
    const outcome = await execute(run, call, next);
    await run.emitToolEnd(outcome);
    return outcome;
  });
  const messages: ToolResultMessage[] = [];
  for (const outcome of outcomes) messages.push(await emitResult(run, outcome));
  return { outcomes, messages };
}

/** Works on every item, on at most as many at a time as the run allows, begun in order. */
async function runLimited<TItem, TResult>(
  run: AgentRun,
  items: readonly TItem[],
  work: (item: TItem) => Promise<TResult>,
): Promise<TResult[]> {
  const limit = run.config.maxParallelTools || Number.POSITIVE_INFINITY;
  if (limit < 1 || limit >= items.length) return Promise.all(items.map(work));
  const results = new Array<TResult>(items.length);
  const waiting = items.entries();
  const worker = async (): Promise<void> => {
    // The iterator is shared: each item is taken once.
    for (const [index, item] of waiting) {
      // Who takes the events has thrown, and the run is failing: no further tool is begun.
      if (run.closed) return;
      results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}

function execute(run: AgentRun, call: ToolCallContext, prepared: PreparedToolCall): Promise<AgentToolCallOutcome> {
  return executeToolCall(prepared, call, new ToolProgress(run, prepared.toolCall));
}

/** The message joins the conversation when the whole batch has ended. */
function emitResult(run: AgentRun, outcome: AgentToolCallOutcome): ToolResultMessage | Promise<ToolResultMessage> {
  const message = run.createToolResult(outcome);
  const taken = run.emitMessage(message);
  return taken ? taken.then(() => message) : message;
}

function isSequential(run: AgentRun, toolCalls: readonly AgentToolCall[]): boolean {
  // For a single call both orders are the same, and this one is the cheaper.
  if (toolCalls.length === 1) return true;
  if (run.config.toolExecution === "sequential") return true;
  return toolCalls.some((toolCall) => findTool(run.context.tools, toolCall.name)?.executionMode === "sequential");
}
