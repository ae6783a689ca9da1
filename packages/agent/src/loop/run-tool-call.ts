/** One tool call outside a run. */
import type { AssistantMessage } from "pi-ai";
import type { AfterToolCallHook, AgentContext, BeforeToolCallHook } from "../types/config.js";
import type { AgentToolCall } from "../types/message.js";
import type { AgentToolCallOutcome, AgentToolUpdateCallback, AnyAgentTool } from "../types/tool.js";
import { AbortGate } from "./abort-gate.js";
import { executeToolCall, isOutcome, prepareToolCall, type ToolCallContext } from "./tool-call.js";

export interface RunToolCallOptions {
  tools: AnyAgentTool[];
  /** The answer that the call stands in, for the hooks. */
  assistantMessage: AssistantMessage;
  /** The conversation, for the hooks. Its `tools` are not used. */
  context: AgentContext;
  signal?: AbortSignal;
  /** Gets progress. What it throws is ignored. */
  onUpdate?: AgentToolUpdateCallback;
  beforeToolCall?: BeforeToolCallHook;
  afterToolCall?: AfterToolCallHook;
  /** Bound on the call in milliseconds, unless the tool has its own. Default: none. */
  toolTimeoutMs?: number;
}

/**
 * Runs one call as a run does: looks the tool up, checks the arguments, asks the hooks. There are no events. Never
 * rejects for what a tool or a hook does: that becomes an outcome with `isError`.
 */
export async function runToolCall(toolCall: AgentToolCall, options: RunToolCallOptions): Promise<AgentToolCallOutcome> {
  const { assistantMessage, beforeToolCall, afterToolCall, toolTimeoutMs } = options;
  const gate = new AbortGate(options.signal);
  const context = { ...options.context, tools: options.tools };
  const call: ToolCallContext = { assistantMessage, context, gate, beforeToolCall, afterToolCall, toolTimeoutMs };
  try {
    const prepared = await prepareToolCall(toolCall, call);
    if (isOutcome(prepared)) return prepared;
    return await executeToolCall(prepared, call, { report: createReporter(options.onUpdate), settle: () => undefined });
  } finally {
    gate.close();
  }
}

function createReporter(onUpdate: AgentToolUpdateCallback | undefined): AgentToolUpdateCallback {
  return (partialResult) => {
    try {
      onUpdate?.(partialResult);
    } catch {
      // Who watches a tool must not be able to make it fail.
    }
  };
}
