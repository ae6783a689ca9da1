/** Creates the outcomes of calls that failed or were not run. */

import type { AgentToolCall } from "../types/message.js";
import { TOOL_ERROR_BLOCKS, TOOL_ERROR_DETAILS } from "../types/parent-run.js";
import type { AgentToolCallOutcome, AgentToolResult } from "../types/tool.js";
import type { BeforeToolCallResult } from "../types/tool-call-hooks.js";
import type { AbortGate } from "./abort-gate.js";
import { describeThrown, readCode } from "./thrown-text.js";
import { createErrorResult, isContent } from "./tool-result.js";

const ABORTED_TEXT = "Operation aborted";
const BLOCKED_TEXT = "Tool execution was blocked";

export function createErrorOutcome(toolCall: AgentToolCall, result: AgentToolResult): AgentToolCallOutcome {
  return { toolCall, result, isError: true };
}

/** For a call that was aborted. */
export function createAbortedOutcome(toolCall: AgentToolCall): AgentToolCallOutcome {
  return createErrorOutcome(toolCall, createErrorResult(ABORTED_TEXT));
}

/** For a call whose tool or hook threw. */
export function createFailedOutcome(
  toolCall: AgentToolCall,
  error: unknown,
  { gate, secrets }: { gate: AbortGate; secrets: () => readonly string[] },
): AgentToolCallOutcome {
  if (gate.aborted) return createAbortedOutcome(toolCall);
  const result = createErrorResult(describeThrown(error, secrets()));
  const code = readCode(error);
  if (code !== undefined) result.details = { code };
  if (!(error instanceof Error)) return createErrorOutcome(toolCall, result);
  if (TOOL_ERROR_DETAILS in error) result.details = error[TOOL_ERROR_DETAILS];
  if (TOOL_ERROR_BLOCKS in error && isContent(error[TOOL_ERROR_BLOCKS]))
    result.content.push(...error[TOOL_ERROR_BLOCKS]);
  return createErrorOutcome(toolCall, result);
}

/** For a call that `beforeToolCall` blocked; undefined if it may run. */
export function createBlockedOutcome(toolCall: AgentToolCall, verdict: unknown): AgentToolCallOutcome | undefined {
  return isBlocked(verdict) ? createErrorOutcome(toolCall, createErrorResult(blockReason(verdict))) : undefined;
}

/** Any truthy value blocks, because a hook that guards something must not fail open. */
function isBlocked(verdict: unknown): verdict is BeforeToolCallResult {
  return typeof verdict === "object" && verdict !== null && "block" in verdict && Boolean(verdict.block);
}

function blockReason(verdict: BeforeToolCallResult): string {
  return typeof verdict.reason === "string" && verdict.reason !== "" ? verdict.reason : BLOCKED_TEXT;
}
