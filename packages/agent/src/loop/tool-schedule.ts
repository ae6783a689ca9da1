/** Runs the tool calls of one response sequentially or in parallel, with the same steps. */
import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import { collectSecrets } from "pi-ai/call";
import type { AgentToolCall } from "../types/message.js";
import type { AgentToolCallOutcome } from "../types/tool.js";
import type { AgentRun } from "./agent-run.js";
import { takeCallSteps } from "./call-steps.js";
import { isPending } from "./promises.js";
import { findTool, type ValidateToolArguments } from "./tool-arguments.js";
import type { ToolBatchResult } from "./tool-batch-result.js";
import { executeToolCall, isOutcome, prepareToolCall } from "./tool-call.js";
import type { PreparedToolCall, ToolCallContext } from "./tool-call-context.js";
import { ToolCallEvents } from "./tool-call-events.js";

/** Runs the calls of a response and emits their events and results. After an abort every call still gets a result. */
export function runToolCalls(
  run: AgentRun,
  assistantMessage: AssistantMessage,
  toolCalls: readonly AgentToolCall[],
  validate: ValidateToolArguments,
): Promise<ToolBatchResult> {
  const { gate } = run;
  const { context } = run;
  const hiddenTools = run.middleware.all.flatMap((hooks) => hooks.tools?.(assistantMessage) ?? []);
  const { serverToolHandlers, runSteps } = run.config;
  const secrets = () => collectSecrets([run.apiKey], run.config.headers, run.config.model.headers);
  const call: ToolCallContext = {
    assistantMessage,
    context,
    gate,
    validate,
    secrets,
    settings: run.callSettings,
    serverToolHandlers,
    runSteps,
    parent: run.asParent,
    rejectedCalls: [],
    ...(hiddenTools.length > 0 && { hiddenTools }),
  };
  return isSequential(run, toolCalls) ? runSequentially(run, call, toolCalls) : runInParallel(run, call, toolCalls);
}

async function runSequentially(
  run: AgentRun,
  call: ToolCallContext,
  toolCalls: readonly AgentToolCall[],
): Promise<ToolBatchResult> {
  const outcomes: AgentToolCallOutcome[] = [];
  const messages: ToolResultMessage[] = [];
  for (const toolCall of toolCalls) {
    const begun = begin(run, call, toolCall);
    const ready = isPending(begun) ? await begun : begun;
    const decided = call.runSteps && (await takeCallSteps(run, call.runSteps, [ready]));
    const next = decided?.[0] ?? ready;
    const outcome = isOutcome(next) ? next : await execute(run, call, next);
    outcomes.push(outcome);
    const shown = showResult(run, outcome, messages);
    if (isPending(shown)) await shown;
  }
  return finish(run, call, { outcomes, messages });
}

/** Every call is prepared before the first one runs, so that `beforeToolCall` can ask the user before any effect. */
async function runInParallel(
  run: AgentRun,
  call: ToolCallContext,
  toolCalls: readonly AgentToolCall[],
): Promise<ToolBatchResult> {
  const prepared: (PreparedToolCall | AgentToolCallOutcome)[] = [];
  for (const toolCall of toolCalls) {
    const begun = begin(run, call, toolCall);
    prepared.push(isPending(begun) ? await begun : begun);
  }
  const work = (next: PreparedToolCall | AgentToolCallOutcome) => (isOutcome(next) ? next : execute(run, call, next));
  const decided = call.runSteps ? await takeCallSteps(run, call.runSteps, prepared) : prepared;
  const outcomes = await runLimited(run, decided, work);
  const messages: ToolResultMessage[] = [];
  for (const outcome of outcomes) {
    const shown = showResult(run, outcome, messages);
    if (isPending(shown)) await shown;
  }
  return finish(run, call, { outcomes, messages });
}

/** Maps all items, starting them in order, at most `maxParallelTools` at a time. */
async function runLimited<TItem, TResult>(
  run: AgentRun,
  items: readonly TItem[],
  work: (item: TItem) => TResult | Promise<TResult>,
): Promise<TResult[]> {
  const { maxParallelTools: limit = Number.POSITIVE_INFINITY } = run.config;
  if (limit >= items.length) return Promise.all(items.map(work));
  const results = new Array<TResult>(items.length);
  const waiting = items.entries();
  const worker = async (): Promise<void> => {
    // The iterator is shared: each item is taken once.
    for (const [index, item] of waiting) {
      // The event sink threw, so the run is failing; start no more tools.
      if (run.closed) return;
      results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}

/** Emits the start of a call and prepares it. A call that must not run ends here. */
function begin(
  run: AgentRun,
  call: ToolCallContext,
  toolCall: AgentToolCall,
): PreparedToolCall | AgentToolCallOutcome | Promise<PreparedToolCall | AgentToolCallOutcome> {
  const delivered = run.emitToolStart(toolCall);
  const prepared = delivered ? delivered.then(() => prepareToolCall(toolCall, call)) : prepareToolCall(toolCall, call);
  if (!(isPending(prepared) || isOutcome(prepared))) return prepared;
  return endUnlessPrepared(run, prepared);
}

async function endUnlessPrepared(
  run: AgentRun,
  pending: AgentToolCallOutcome | Promise<PreparedToolCall | AgentToolCallOutcome>,
): Promise<PreparedToolCall | AgentToolCallOutcome> {
  const prepared = await pending;
  if (isOutcome(prepared)) await run.emitToolEnd(prepared);
  return prepared;
}

function execute(run: AgentRun, call: ToolCallContext, prepared: PreparedToolCall): Promise<AgentToolCallOutcome> {
  return executeToolCall(prepared, call, new ToolCallEvents(run, prepared.toolCall));
}

function showResult(
  run: AgentRun,
  outcome: AgentToolCallOutcome,
  messages: ToolResultMessage[],
): Promise<void> | undefined {
  const message = run.createToolResult(outcome);
  messages.push(message);
  return run.emitMessage(message);
}

/** The messages join the conversation when the whole batch has ended. */
function finish(
  run: AgentRun,
  { rejectedCalls = [] }: ToolCallContext,
  { outcomes, messages }: { outcomes: readonly AgentToolCallOutcome[]; messages: ToolResultMessage[] },
): ToolBatchResult {
  for (const message of messages) run.add(message);
  return { messages, rejectedCalls, terminate: outcomes.every((outcome) => outcome.result.terminate === true) };
}

function isSequential(run: AgentRun, toolCalls: readonly AgentToolCall[]): boolean {
  // For a single call both orders are the same, and this one is cheaper.
  if (toolCalls.length === 1) return true;
  if (run.config.toolExecution === "sequential") return true;
  const { tools } = run.context;
  return toolCalls.some(({ name, serverTool }) => !serverTool && findTool(tools, name)?.executionMode === "sequential");
}
