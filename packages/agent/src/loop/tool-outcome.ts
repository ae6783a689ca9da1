/** The outcomes of tool calls: of those that ran, failed, were refused or aborted. */
import { describeThrown, readCode } from "pi-ai/call";
import type { AbortGate } from "../abort-gate.js";
import { copyContent, createTextResult, isContent } from "../tool-result.js";
import type { AgentToolCall } from "../types/message.js";
import { TOOL_ERROR_BLOCKS, TOOL_ERROR_DETAILS } from "../types/parent-run.js";
import type { AgentToolCallOutcome } from "../types/tool.js";
import type { AfterToolCallResult, BeforeToolCallResult } from "../types/tool-call-hooks.js";

const ABORTED_TEXT = "Operation aborted";
const BLOCKED_TEXT = "Tool execution was blocked";

/** For a call that must not run. */
export function createErrorOutcome(toolCall: AgentToolCall, text: string, details: object = {}): AgentToolCallOutcome {
  return { toolCall, result: { ...createTextResult(text), details }, isError: true };
}

/** For a call of a server tool that the application does not handle. */
export function describeMissingHandler(name: string): string {
  return `Server tool ${name} was not run: the application has no handler for it in serverToolHandlers`;
}

/** For a call whose arguments are incomplete. */
export function describeArgumentsError(toolCall: AgentToolCall, truncated: boolean): string {
  const cause = truncated ? " The response reached its output limit." : "";
  return (
    `Tool ${toolCall.name} was not run: its arguments are not one complete JSON object (${toolCall.argumentsError}).` +
    `${cause} Send the call again with complete arguments.`
  );
}

/** For a call of a response that was cut off by its output limit. */
export function describeTruncation(toolCall: AgentToolCall): string {
  return (
    `Tool ${toolCall.name} was not run: the response reached its output limit, so the call may be incomplete. ` +
    "Send the call again."
  );
}

/** For a call that was aborted. */
export function createAbortedOutcome(toolCall: AgentToolCall): AgentToolCallOutcome {
  return createErrorOutcome(toolCall, ABORTED_TEXT);
}

/** For a call whose tool or hook threw. After an abort the error does not matter: the call was aborted. */
export function createFailedOutcome(
  toolCall: AgentToolCall,
  error: unknown,
  run: { readonly gate: AbortGate; secrets(): readonly string[] },
): AgentToolCallOutcome {
  if (run.gate.aborted) return createAbortedOutcome(toolCall);
  const result = createTextResult(describeThrown(error, run.secrets()));
  const code = readCode(error, run.secrets());
  if (code !== undefined) result.details = { code };
  if (error instanceof Error) {
    if (TOOL_ERROR_DETAILS in error) result.details = error[TOOL_ERROR_DETAILS];
    if (TOOL_ERROR_BLOCKS in error && isContent(error[TOOL_ERROR_BLOCKS]))
      result.content.push(...error[TOOL_ERROR_BLOCKS]);
  }
  return { toolCall, result, isError: true };
}

/** For a call that a hook blocked; undefined if it may run. */
export function createBlockedOutcome(toolCall: AgentToolCall, verdict: unknown): AgentToolCallOutcome | undefined {
  return isBlocked(verdict) ? createErrorOutcome(toolCall, blockReason(verdict)) : undefined;
}

/** Any truthy `block` blocks, because a hook that guards something must not fail open. Anything but an object lets the tool run. */
function isBlocked(verdict: unknown): verdict is BeforeToolCallResult {
  return typeof verdict === "object" && verdict !== null && "block" in verdict && Boolean(verdict.block);
}

function blockReason(verdict: BeforeToolCallResult): string {
  return typeof verdict.reason === "string" && verdict.reason !== "" ? verdict.reason : BLOCKED_TEXT;
}

/**
 * The outcome with the fields that `afterToolCall` returned. A hook that returns nothing, or no object, changes nothing.
 *
 * @throws Error when the hook's content is not an array of blocks
 */
export function applyAfterHook(outcome: AgentToolCallOutcome, response: unknown): AgentToolCallOutcome {
  if (typeof response !== "object" || response === null) return outcome;
  // Each field is optional and checked below where a wrong one could do harm.
  const change: AfterToolCallResult = response;
  const { result } = outcome;
  const content = change.content ?? result.content;
  if (!isContent(content)) throw new Error("afterToolCall must return content as an array of text and image blocks");
  const terminate = change.terminate ?? result.terminate;
  const output = change.output ?? result.output;
  return {
    ...outcome,
    result: {
      content: content === result.content ? content : copyContent(content),
      details: change.details ?? result.details,
      ...(terminate === undefined ? {} : { terminate }),
      ...(output === undefined ? {} : { output }),
    },
    isError: change.isError ?? outcome.isError,
  };
}
