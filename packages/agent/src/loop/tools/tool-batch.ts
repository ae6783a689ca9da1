/**
 * Loads the part of the loop that runs tools, and runs the tool calls of one response. That part is a third of the
 * package, and an application without tools never needs it.
 */
import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import { formatThrownValue } from "pi-ai/call";
import type { AgentToolCall } from "../../types/message.js";
import type { FinishedTurn, TurnDecision } from "../../types/middleware.js";
import type { AnyAgentTool } from "../../types/tool.js";
import type { AgentRun } from "../agent-run.js";
import type { ToolBatchResult } from "./tool-call.js";

interface Tools {
  runToolCalls: typeof import("./tool-schedule.js").runToolCalls;
  RepeatedRounds: typeof import("../repeated-rounds.js").RepeatedRounds;
  validate: typeof import("pi-ai/validation").validateToolArguments;
}

let loading: Promise<Tools> | undefined;
let loaded: Tools | undefined;

/** Starts loading early, so that the first tool call does not wait. A failure surfaces when a tool is called. */
export function preloadTools(tools: readonly AnyAgentTool[] | undefined): void {
  if (tools?.length) loadTools().catch(() => {});
}

/** How many rounds of calls a run refuses because the code that runs them cannot be loaded. */
const MAX_REFUSED_ROUNDS = 10;

/** After this many identical results, a different one is unlikely. */
const DEFAULT_MAX_REPEATS = 10;

/**
 * Counts rounds of tool calls that repeat the one before, and adds the limit `maxRepeats`. Only rounds of tools count, so the
 * code that compares them is loaded with that of tools.
 */
export function watchRepeats(run: AgentRun): void {
  let rounds: import("../repeated-rounds.js").RepeatedRounds | undefined;
  let refused = 0;
  const { maxRepeats = DEFAULT_MAX_REPEATS } = run.config;
  run.countRepeats = (toolCalls, toolResults) => {
    if (toolCalls.length === 0) return 0;
    rounds ??= loaded && new loaded.RepeatedRounds();
    // Only hooks read the count.
    if (rounds) return run.middleware.afterTurn ? rounds.add(toolCalls, toolResults, run.context.tools) : 0;
    if (++refused >= MAX_REFUSED_ROUNDS) throw new Error("The code that runs tools cannot be loaded");
    return 0;
  };
  const beforeMessages = (): void => rounds?.reset();
  const afterTurn = ({ repeats }: FinishedTurn): TurnDecision | undefined =>
    repeats >= maxRepeats ? { stop: { by: "loop", loop: "same_call", repeats } } : undefined;
  const hooks = maxRepeats ? { beforeMessages, afterTurn } : { beforeMessages };
  run.middleware = { ...run.middleware, ...hooks, all: [hooks] };
}

/** Runs the calls of a response. Each gets a result, even if the code that runs them cannot be loaded in time. */
export function runToolBatch(
  run: AgentRun,
  message: AssistantMessage,
  toolCalls: readonly AgentToolCall[],
): Promise<ToolBatchResult> {
  if (loaded && !run.gate.aborted) return loaded.runToolCalls(run, message, toolCalls, loaded.validate);
  return runWhenLoaded(run, message, toolCalls);
}

async function runWhenLoaded(
  run: AgentRun,
  message: AssistantMessage,
  toolCalls: readonly AgentToolCall[],
): Promise<ToolBatchResult> {
  let tools: Tools;
  try {
    tools = await run.gate.wait(loadTools());
  } catch (error) {
    return refuseAll(run, toolCalls, formatThrownValue(error));
  }
  return tools.runToolCalls(run, message, toolCalls, tools.validate);
}

async function loadTools(): Promise<Tools> {
  loading ??= importTools();
  try {
    return await loading;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

async function importTools(): Promise<Tools> {
  const [schedule, repeats, validation] = await Promise.all([
    import("./tool-schedule.js"),
    import("../repeated-rounds.js"),
    import("pi-ai/validation"),
  ]);
  const { validateToolArguments: validate } = validation;
  loaded = { runToolCalls: schedule.runToolCalls, RepeatedRounds: repeats.RepeatedRounds, validate };
  return loaded;
}

async function refuseAll(run: AgentRun, toolCalls: readonly AgentToolCall[], text: string): Promise<ToolBatchResult> {
  const messages: ToolResultMessage[] = [];
  for (const toolCall of toolCalls) {
    const result = { content: [{ type: "text" as const, text }], details: {} };
    const outcome = { toolCall, result, isError: true };
    await run.beginToolCall(toolCall);
    await run.endToolCall(outcome);
    await run.addToolResult(outcome, messages);
  }
  return { messages, rejectedCalls: [], terminate: false };
}
