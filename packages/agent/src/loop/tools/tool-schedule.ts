/** Runs the tool calls of one response, one after the other or in parallel, or a single call outside of a run. */
import type { AssistantMessage } from "pi-ai";
import type { AgentToolCall } from "../../types/message.js";
import type { RunToolCallOptions } from "../../types/run-tool-call.js";
import type { AgentToolCallOutcome, AgentToolResult } from "../../types/tool.js";
import { isPending } from "../abort-gate.js";
import { type AgentRun, directSteps } from "../agent-run.js";
import {
  executeToolCall,
  findTool,
  isHidden,
  isOutcome,
  type PreparedToolCall,
  prepareToolCall,
  type ToolBatch,
  type ToolBatchResult,
  type ToolCallSink,
  type ToolRun,
} from "./tool-call.js";
import { createAbortedOutcome, createBlockedOutcome, createFailedOutcome } from "./tool-outcome.js";

type Next = PreparedToolCall | AgentToolCallOutcome;
type MaybePromise<TValue> = TValue | Promise<TValue>;

/** Runs the calls of a response and emits their events and results. After an abort every call still gets a result. */
export function runToolCalls(
  run: AgentRun,
  assistantMessage: AssistantMessage,
  toolCalls: readonly AgentToolCall[],
  validate: ToolBatch["validate"],
): Promise<ToolBatchResult> {
  const batch: ToolBatch = {
    run,
    stepRun: run,
    assistantMessage,
    context: run.context,
    validate,
    serverToolHandlers: run.config.serverToolHandlers,
    hiddenTools: run.middleware.tools?.(assistantMessage),
    result: { messages: [], rejectedCalls: [], terminate: true },
  };
  return isSequential(run, toolCalls) ? runSequentially(run, batch, toolCalls) : runGroup(run, batch, toolCalls);
}

async function runSequentially(
  run: AgentRun,
  batch: ToolBatch,
  toolCalls: readonly AgentToolCall[],
): Promise<ToolBatchResult> {
  for (const toolCall of toolCalls) await runGroup(run, batch, [toolCall]);
  return batch.result;
}

/** Every call is prepared before the first one runs, so that hooks can ask the user before any effect. */
async function runGroup(
  run: AgentRun,
  batch: ToolBatch,
  toolCalls: readonly AgentToolCall[],
): Promise<ToolBatchResult> {
  const prepared: Next[] = [];
  for (const toolCall of toolCalls) {
    const begun = begin(run, batch, toolCall);
    prepared.push(isPending(begun) ? await begun : begun);
  }
  const isAsked = run.middleware.beforeTools || run.steps.stores;
  const calls = isAsked ? await allow(run, batch, prepared) : prepared;
  run.isStoring = run.steps.stores;
  const [only] = calls;
  const outcomes = only && calls.length === 1 ? [await execute(run, batch, only)] : await executeAll(run, batch, calls);
  run.isStoring = false;
  for (const outcome of outcomes) {
    if (outcome.result.terminate !== true) batch.result.terminate = false;
    const delivered = run.addToolResult(outcome, batch.result.messages);
    if (delivered) await delivered;
  }
  return batch.result;
}

/** Emits the start of a call and prepares it. A call that must not run ends here. Returns a promise only if there is a wait. */
function begin(run: AgentRun, batch: ToolBatch, toolCall: AgentToolCall): Next | Promise<Next> {
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

/** Asks the hooks that decide about all calls at once, and records the calls that are about to run. */
async function allow(run: AgentRun, batch: ToolBatch, prepared: readonly Next[]): Promise<readonly Next[]> {
  const { beforeTools } = run.middleware;
  const allowed = beforeTools ? await askForAll(run, batch, { prepared, beforeTools }) : prepared;
  const calls = allowed.filter((next) => !isOutcome(next)) as PreparedToolCall[];
  if (calls.length > 0) await run.steps.mark(calls);
  return allowed;
}

async function askForAll(
  run: AgentRun,
  batch: ToolBatch,
  { prepared, beforeTools }: { prepared: readonly Next[]; beforeTools: BeforeTools },
): Promise<readonly Next[]> {
  const isAsked = (next: Next): next is PreparedToolCall => !(isOutcome(next) || isHidden(next.tool, batch));
  const calls = prepared.filter(isAsked);
  if (calls.length === 0) return prepared;
  const refused = await refuse(run, calls, beforeTools);
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
  run: AgentRun,
  calls: readonly PreparedToolCall[],
  beforeTools: BeforeTools,
): Promise<ReadonlyMap<PreparedToolCall, AgentToolCallOutcome>> {
  const refused = new Map<PreparedToolCall, AgentToolCallOutcome>();
  try {
    const verdicts = await run.gate.waitWithGrace(beforeTools(calls));
    for (const [index, call] of calls.entries()) {
      const blocked = createBlockedOutcome(call.toolCall, verdicts[index]);
      if (blocked) refused.set(call, run.gate.aborted ? createAbortedOutcome(call.toolCall) : blocked);
    }
  } catch (error) {
    if (run.steps.failure) throw error;
    for (const call of calls) refused.set(call, createFailedOutcome(call.toolCall, error, run));
  }
  return refused;
}

/** Executes calls in parallel, starting them in their order, at most `maxParallelTools` at a time. */
function executeAll(run: AgentRun, batch: ToolBatch, calls: readonly Next[]): Promise<AgentToolCallOutcome[]> {
  const { maxParallelTools = calls.length } = run.config;
  if (calls.length > maxParallelTools) return executeLimited(run, batch, { calls, limit: maxParallelTools });
  const running: MaybePromise<AgentToolCallOutcome>[] = [];
  for (const next of calls) {
    // The event sink threw, so the run is failing; start no more tools.
    if (run.closed) break;
    running.push(execute(run, batch, next));
  }
  return Promise.all(running);
}

async function executeLimited(
  run: AgentRun,
  batch: ToolBatch,
  { calls, limit }: { calls: readonly Next[]; limit: number },
): Promise<AgentToolCallOutcome[]> {
  const outcomes: AgentToolCallOutcome[] = new Array(calls.length);
  const waiting = calls.entries();
  const worker = async (): Promise<void> => {
    // The iterator is shared: each item is taken once.
    for (const [index, next] of waiting) {
      if (run.closed) return;
      outcomes[index] = await execute(run, batch, next);
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return outcomes;
}

function execute(run: AgentRun, batch: ToolBatch, next: Next): MaybePromise<AgentToolCallOutcome> {
  return isOutcome(next) ? next : executeToolCall(next, batch, new CallEvents(run, next.toolCall));
}

function isSequential(run: AgentRun, toolCalls: readonly AgentToolCall[]): boolean {
  // For a single call both orders are the same, and the other one is cheaper.
  if (toolCalls.length === 1) return false;
  if (run.config.toolExecution === "sequential") return true;
  const { tools } = run.context;
  return toolCalls.some(({ name, serverTool }) => !serverTool && findTool(tools, name)?.executionMode === "sequential");
}

/** Emits the events of a call. An error of the event sink never reaches the tool; the run throws it when the call has ended. */
class CallEvents implements ToolCallSink {
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

  end(outcome: AgentToolCallOutcome): Promise<void> | undefined {
    this.#run.assertDelivered();
    return this.#run.endToolCall(outcome);
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
  {
    gate,
    validate,
    settings,
  }: Pick<ToolBatch, "validate"> & Pick<ToolRun, "gate"> & { settings: ToolRun["callSettings"] },
): Promise<AgentToolCallOutcome> {
  const { assistantMessage, onUpdate } = options;
  const batch: ToolBatch = {
    run: { gate, steps: directSteps, callSettings: settings, secrets: () => [] },
    stepRun: undefined,
    assistantMessage,
    context: { ...options.context, tools: options.tools },
    validate,
    serverToolHandlers: undefined,
    hiddenTools: undefined,
    result: { messages: [], rejectedCalls: [], terminate: true },
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
  return executeToolCall(prepared, batch, { report, settle: () => undefined, end: () => undefined });
}
