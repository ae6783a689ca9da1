/** Adds up what a conversation has used. */
import type { AssistantMessage, ToolResultMessage, Usage } from "pi-ai";
import { isRecord } from "pi-ai/call";
import { addUsage } from "pi-ai/count";
import { mustBeList } from "../../checks.js";
import { marksOf } from "../../pause/index.js";
import type { AgentMessage } from "../../types/message.js";

type Counted = Parameters<typeof addUsage>[0][number];

/**
 * Adds up the usage and cost of all requests that a conversation caused: its responses; requests that hooks sent beside
 * them, such as for summaries, and responses that `wrapModelCall` dropped (in the diagnostic `side_requests` of a
 * response); summaries that were made outside a run; and the agents that `agentTool` ran (in `details.childUsage` of tool
 * results).
 */
export function sumUsage(messages: readonly AgentMessage[]): Usage {
  mustBeList("The argument of sumUsage", messages);
  return addUsage(messages.flatMap(usageOf));
}

/**
 * Reads the usages of the requests that were made beside a response from its diagnostics. A stored conversation can hold
 * anything, so they are checked.
 *
 * @param ofRun without what an earlier run had used after its last response, which its own budget has counted
 */
export function readSideUsages({ diagnostics }: AssistantMessage, ofRun = false): Counted[] {
  return (Array.isArray(diagnostics) ? diagnostics : []).flatMap((diagnostic: unknown) => {
    if (!isRecord(diagnostic) || diagnostic["type"] !== "side_requests" || !isRecord(diagnostic["details"])) return [];
    const { usages, carried } = diagnostic["details"];
    return Array.isArray(usages) ? usages.slice(ofRun ? countOf(carried) : 0).flatMap(usageIn) : [];
  });
}

/** Checks `details` and `compaction`, which can be anything in a stored conversation. */
function usageOf(message: AgentMessage): Counted[] {
  if (message.role === "assistant") return [message, ...readSideUsages(message)];
  // The responses of its run count the summaries of a record that was made in one.
  const compaction: unknown = message.role === "user" && "compaction" in message ? message.compaction : undefined;
  if (isRecord(compaction) && compaction["inResponses"] !== true) return usageIn(compaction["usage"]);
  if (message.role !== "toolResult") return [];
  // A call that has paused names what its agent had used before.
  return [...marksOf(message), message].flatMap(({ details }) =>
    isRecord(details) ? usageIn(details["childUsage"]) : [],
  );
}

/** The usage of the agent of a tool call. */
export interface ChildCounts {
  usage: Usage;
  requests: number;
  toolCalls: number;
}

/** The counts of the agent of a call for the budgets of the runs above it: its messages, and requests after the last one. */
export function countChild(messages: readonly AgentMessage[], sideUsages: readonly Usage[]): ChildCounts {
  const usage = addUsage([sumUsage(messages), ...sideUsages].map((one) => ({ usage: one })));
  const counts: ChildCounts = { usage, requests: sideUsages.length, toolCalls: 0 };
  for (const message of messages) {
    if (message.role === "assistant") counts.requests += (isUnsent(message) ? 0 : 1) + readSideUsages(message).length;
    if (message.role !== "toolResult" || message.durationMs === undefined) continue;
    const below = readChildCounts(message);
    counts.requests += below.requests;
    counts.toolCalls += 1 + below.toolCalls;
  }
  return counts;
}

/** A failed response that used nothing is usually the end of a run whose request was refused. */
function isUnsent({ stopReason, usage }: AssistantMessage): boolean {
  return (stopReason === "error" || stopReason === "aborted") && usage.totalTokens === 0;
}

/** Reads them from the result of a call; all 0 for any other call. */
export function readChildCounts({ details }: Pick<ToolResultMessage, "details">): ChildCounts {
  const { childUsage, childRequests, childToolCalls }: Record<string, unknown> = isRecord(details) ? details : {};
  return { usage: addUsage(usageIn(childUsage)), requests: countOf(childRequests), toolCalls: countOf(childToolCalls) };
}

function countOf(value: unknown): number {
  return typeof value === "number" && value > 0 ? value : 0;
}

function usageIn(usage: unknown): Counted[] {
  return isRecord(usage) ? [{ usage }] : [];
}
