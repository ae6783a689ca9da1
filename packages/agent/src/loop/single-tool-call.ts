/** Runs all steps of one tool call without events. */

import type { AgentToolCall } from "../types/message.js";
import type { RunToolCallOptions } from "../types/run-tool-call.js";
import type { AgentToolCallOutcome, AgentToolUpdateCallback } from "../types/tool.js";
import { executeToolCall, isOutcome, prepareToolCall } from "./tool-call.js";
import type { ToolCallContext } from "./tool-call-context.js";

/** See `runToolCall`. */
export async function runSingleToolCall(
  toolCall: AgentToolCall,
  options: RunToolCallOptions,
  { gate, validate, settings }: Pick<ToolCallContext, "gate" | "validate" | "settings">,
): Promise<AgentToolCallOutcome> {
  const { assistantMessage } = options;
  const context = { ...options.context, tools: options.tools };
  const call: ToolCallContext = { assistantMessage, context, gate, validate, secrets: () => [], settings };
  const prepared = await prepareToolCall(toolCall, call);
  if (isOutcome(prepared)) return prepared;
  const silent = (): undefined => undefined;
  return executeToolCall(prepared, call, { report: createReporter(options.onUpdate), settle: silent, end: silent });
}

function createReporter(onUpdate: AgentToolUpdateCallback | undefined): AgentToolUpdateCallback {
  return (partialResult) => {
    try {
      onUpdate?.(partialResult);
    } catch {
      // An observer's error must not fail the tool.
    }
  };
}
