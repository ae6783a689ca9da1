/** Runs the tool calls of one response, one after the other or in parallel, or a single call outside of a run. */
import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import type { AgentToolCall } from "../../types/message.js";
import type { RunToolCallOptions } from "../../types/run-tool-call.js";
import type { AgentToolCallOutcome, AgentToolResult } from "../../types/tool.js";
import { isPending } from "../abort-gate.js";
import type { AgentRun } from "../agent-run.js";
import { directSteps } from "../direct-steps.js";
import {
  executeToolCall,
  findTool,
  isHidden,
  isOutcome,
  type PreparedToolCall,
  prepareToolCall,
  type ToolBatch,
  type ToolBatchResult,
  type ToolProgress,
} from "./tool-call.js";
import { createAbortedOutcome, createBlockedOutcome, createFailedOutcome } from "./tool-outcome.js";

type Next = PreparedToolCall | AgentToolCallOutcome;

/** Runs the calls of a response and emits their events and results. After an abort every call still gets a result. */
export function runToolCalls(
  run: AgentRun,
  assistantMessage: AssistantMessage,
  toolCalls: readonly AgentToolCall[],
  validate: ToolBatch["validate"],
): Promise<ToolBatchResult> {
  const hiddenTools = run.middleware.all.flatMap((hooks) => hooks.tools?.(assistantMessage) ?? []);
  const batch: Batch = {
    assistantMessage,
    context: run.context,
    gate: run.gate,
    steps: run.steps,
    validate,
    secrets: () => run.secrets(),
    settings: run.callSettings,
    serverToolHandlers: run.config.serverToolHandlers,
    run: run.asParent,
    side: run,
    rejectedCalls: [],
    ...(hiddenTools.length > 0 && { hiddenTools }),
  };
  return isSequential(run, toolCalls) ? runSequentially(run, batch, toolCalls) : runInParallel(run, batch, toolCalls);
}

type Batch = ToolBatch & Required<Pick<ToolBatch, "rejectedCalls">>;

async function runSequentially(
  run: AgentRun,
  batch: Batch,
  toolCalls: readonly AgentToolCall[],
): Promise<ToolBatchResult> {
  const outcomes: AgentToolCallOutcome[] = [];
  const messages: ToolResultMessage[] = [];
  for (const toolCall of toolCalls) {
    const begun = begin(run, batch, toolCall);
    const prepared = [isPending(begun) ? await begun : begun];
    const allowed = allow(run, batch, prepared);
    for (const next of isPending(allowed) ? await allowed : allowed) {
      const outcome = isOutcome(next) ? next : await execute(run, batch, next);
      outcomes.push(outcome);
      const delivered = run.addToolResult(outcome, messages);
      if (isPending(delivered)) await delivered;
    }
  }
  return finish(batch, outcomes, messages);
}

/** Every call is prepared before the first one runs, so that hooks can ask the user before any effect. */
async function runInParallel(
  run: AgentRun,
  batch: Batch,
  toolCalls: readonly AgentToolCall[],
): Promise<ToolBatchResult> {
  const prepared: Next[] = [];
  for (const toolCall of toolCalls) {
    const begun = begin(run, batch, toolCall);
    prepared.push(isPending(begun) ? await begun : begun);
  }
  const allowed = await allow(run, batch, prepared);
  const outcomes = await runLimited(run, allowed, (next) => (isOutcome(next) ? next : execute(run, batch, next)));
  const messages: ToolResultMessage[] = [];
  for (const outcome of outcomes) {
    const delivered = run.addToolResult(outcome, messages);
    if (isPending(delivered)) await delivered;
  }
  return finish(batch, outcomes, messages);
}

/** Maps all items, starting them in order, at most `maxParallelTools` at a time. */
async function runLimited<TItem, TResult>(
  run: AgentRun,
  items: readonly TItem[],
  work: (item: TItem) => TResult | Promise<TResult>,
): Promise<TResult[]> {
  const { maxParallelTools = Number.POSITIVE_INFINITY } = run.config;
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
  await Promise.all(Array.from({ length: Math.min(maxParallelTools, items.length) }, worker));
  return results;
}

/** Emits the start of a call and prepares it. A call that must not run ends here. Returns a promise only if there is a wait. */
function begin(run: AgentRun, batch: Batch, toolCall: AgentToolCall): Next | Promise<Next> {
  const delivered = run.beginToolCall(toolCall);
  const prepared = delivered
    ? delivered.then(() => prepareToolCall(toolCall, batch))
    : prepareToolCall(toolCall, batch);
  return isPending(prepared) || isOutcome(prepared) ? endUnlessPrepared(run, prepared) : prepared;
}

async function endUnlessPrepared(run: AgentRun, pending: Next | Promise<Next>): Promise<Next> {
  const prepared = await pending;
  if (isOutcome(prepared)) await run.endToolCall(prepared);
  return prepared;
}

/**
 * Asks the hooks that decide about all calls at once, and records the calls that are about to run. Returns a promise only if
 * there is a wait.
 */
function allow(run: AgentRun, batch: Batch, prepared: readonly Next[]): readonly Next[] | Promise<readonly Next[]> {
  const { beforeTools } = run.middleware;
  return beforeTools || run.steps.stores ? allowLater(run, batch, { prepared, beforeTools }) : prepared;
}

interface Question {
  prepared: readonly Next[];
  beforeTools: BeforeTools | undefined;
}

async function allowLater(run: AgentRun, batch: Batch, { prepared, beforeTools }: Question): Promise<readonly Next[]> {
  const allowed = beforeTools ? await askForAll(run, batch, { prepared, beforeTools }) : prepared;
  const calls = allowed.filter((next) => !isOutcome(next)) as PreparedToolCall[];
  if (calls.length > 0) await run.steps.mark(calls);
  return allowed;
}

async function askForAll(
  run: AgentRun,
  batch: Batch,
  { prepared, beforeTools }: Question & { beforeTools: BeforeTools },
): Promise<readonly Next[]> {
  const isAsked = (next: Next): next is PreparedToolCall => !(isOutcome(next) || isHidden(next.tool, batch));
  const calls = prepared.filter(isAsked);
  if (calls.length === 0) return prepared;
  const refused = await refuse(batch, calls, beforeTools);
  const allowed: Next[] = [];
  for (const next of prepared) {
    const outcome = isAsked(next) ? refused.get(next) : undefined;
    if (outcome) await run.endToolCall(outcome);
    allowed.push(outcome ?? next);
  }
  return allowed;
}

type BeforeTools = NonNullable<AgentRun["middleware"]["beforeTools"]>;

/** The outcomes of the calls that must not run. */
async function refuse(
  batch: Batch,
  calls: readonly PreparedToolCall[],
  beforeTools: BeforeTools,
): Promise<ReadonlyMap<PreparedToolCall, AgentToolCallOutcome>> {
  const refused = new Map<PreparedToolCall, AgentToolCallOutcome>();
  try {
    const verdicts = await batch.gate.waitWithGrace(beforeTools(calls));
    for (const [index, call] of calls.entries()) {
      const blocked = createBlockedOutcome(call.toolCall, verdicts[index]);
      if (blocked) refused.set(call, batch.gate.aborted ? createAbortedOutcome(call.toolCall) : blocked);
    }
  } catch (error) {
    if (batch.steps.failure) throw error;
    for (const call of calls) refused.set(call, createFailedOutcome(call.toolCall, error, batch));
  }
  return refused;
}

async function execute(run: AgentRun, batch: Batch, prepared: PreparedToolCall): Promise<AgentToolCallOutcome> {
  const { toolCall } = prepared;
  const { result, isError, durationMs } = await executeToolCall(prepared, batch, new RunProgress(run, toolCall));
  const outcome: AgentToolCallOutcome = { toolCall, result, isError, ...(durationMs !== undefined && { durationMs }) };
  // The outcome is stored by now. A listener that failed concerns only this process, so its error is thrown here.
  run.assertDelivered();
  const delivered = run.endToolCall(outcome);
  if (delivered) await delivered;
  return outcome;
}

function finish(
  { rejectedCalls }: Batch,
  outcomes: readonly AgentToolCallOutcome[],
  messages: ToolResultMessage[],
): ToolBatchResult {
  return { messages, rejectedCalls, terminate: outcomes.every((outcome) => outcome.result.terminate === true) };
}

function isSequential(run: AgentRun, toolCalls: readonly AgentToolCall[]): boolean {
  // For a single call both orders are the same, and this one is cheaper.
  if (toolCalls.length === 1) return true;
  if (run.config.toolExecution === "sequential") return true;
  const { tools } = run.context;
  return toolCalls.some(({ name, serverTool }) => !serverTool && findTool(tools, name)?.executionMode === "sequential");
}

/** Emits the progress of a call. An error of the event sink never reaches the tool; the run throws it afterwards. */
class RunProgress implements ToolProgress {
  readonly #run: AgentRun;
  readonly #toolCall: AgentToolCall;
  #pending: Promise<void>[] | undefined;

  constructor(run: AgentRun, toolCall: AgentToolCall) {
    this.#run = run;
    this.#toolCall = toolCall;
  }

  report(partialResult: AgentToolResult): void {
    this.#pending ??= [];
    this.#pending.push(this.#emit(partialResult).catch(() => {}));
  }

  settle(): Promise<unknown> | undefined {
    return this.#pending && Promise.all(this.#pending);
  }

  async #emit(partialResult: AgentToolResult): Promise<void> {
    const { id, name, arguments: args } = this.#toolCall;
    await this.#run.emit({ type: "tool_execution_update", toolCallId: id, toolName: name, args, partialResult });
  }
}

/** Runs one call outside of a run, without events: see `runToolCall`. */
export async function runSingleToolCall(
  toolCall: AgentToolCall,
  options: RunToolCallOptions,
  { gate, validate, settings }: Pick<ToolBatch, "gate" | "validate" | "settings">,
): Promise<AgentToolCallOutcome> {
  const { assistantMessage, onUpdate } = options;
  const context = { ...options.context, tools: options.tools };
  const batch: ToolBatch = {
    assistantMessage,
    context,
    gate,
    steps: directSteps,
    validate,
    secrets: () => [],
    settings,
  };
  const prepared = await prepareToolCall(toolCall, batch);
  if (isOutcome(prepared)) return prepared;
  const report = (partialResult: AgentToolResult): void => {
    try {
      onUpdate?.(partialResult);
    } catch {
      // An observer's error must not fail the tool.
    }
  };
  const outcome = await executeToolCall(prepared, batch, { report, settle: () => undefined });
  return { ...outcome, toolCall };
}
