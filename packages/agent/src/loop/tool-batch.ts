/**
 * The tool calls of one answer, and the part of the loop that runs them. That part is loaded when there are tools to run:
 * it is a third of the package, and an application without tools, in a browser most of all, never needs it.
 */
import { type AssistantMessage, formatThrownValue, type ToolResultMessage } from "pi-ai";
import type { AgentToolCall } from "../types/message.js";
import type { AgentToolCallOutcome, AnyAgentTool } from "../types/tool.js";
import type { AgentRun } from "./agent-run.js";
import type { ToolBatchResult } from "./tool-batch-result.js";

type RunToolCalls = typeof import("./tool-schedule.js").runToolCalls;

let loading: Promise<RunToolCalls> | undefined;

/** Begins to load what runs tools, so that nothing has to be waited for later. A failure shows when it is needed. */
export function preloadTools(tools: readonly AnyAgentTool[] | undefined): void {
  if (tools?.length) loadTools().catch(() => {});
}

/** Runs the calls of an answer. Each gets its result, also when what runs them cannot be loaded or came too late. */
export async function runToolBatch(
  run: AgentRun,
  message: AssistantMessage,
  toolCalls: readonly AgentToolCall[],
): Promise<ToolBatchResult> {
  let runToolCalls: RunToolCalls;
  try {
    runToolCalls = await run.gate.wait(loadTools());
  } catch (error) {
    return refuseAll(run, toolCalls, formatThrownValue(error));
  }
  return runToolCalls(run, message, toolCalls);
}

async function loadTools(): Promise<RunToolCalls> {
  loading ??= import("./tool-schedule.js").then((module) => module.runToolCalls);
  try {
    return await loading;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

async function refuseAll(run: AgentRun, toolCalls: readonly AgentToolCall[], text: string): Promise<ToolBatchResult> {
  const messages: ToolResultMessage[] = [];
  for (const toolCall of toolCalls) {
    const result = { content: [{ type: "text" as const, text }], details: {} };
    const outcome: AgentToolCallOutcome = { toolCall, result, isError: true };
    await run.emitToolStart(toolCall);
    await run.emitToolEnd(outcome);
    messages.push(await run.emitToolResult(outcome));
  }
  for (const message of messages) run.add(message);
  return { messages, terminate: false };
}
