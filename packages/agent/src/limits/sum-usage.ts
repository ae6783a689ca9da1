/** Adds up what a conversation has used. */
import type { AssistantMessage, Usage } from "pi-ai";
import { isRecord } from "pi-ai/call";
import { addUsage } from "pi-ai/count";
import type { AgentMessage } from "../types/message.js";

type Counted = Parameters<typeof addUsage>[0][number];

/**
 * Adds up the usage and cost of all requests that a conversation caused: its responses; requests that hooks sent beside
 * them, such as for summaries, and responses that `wrapModelCall` dropped (in the diagnostic `side_requests` of a
 * response); summaries that were made outside a run; and the agents that `agentTool` ran (in `details.childUsage` of tool
 * results).
 */
export function sumUsage(messages: readonly AgentMessage[]): Usage {
  return addUsage(messages.flatMap(usageOf));
}

/**
 * Reads the usages of the requests that were made beside a response from its diagnostics. A stored conversation can hold
 * anything, so they are checked.
 */
export function readSideUsages({ diagnostics }: AssistantMessage): Counted[] {
  return (Array.isArray(diagnostics) ? diagnostics : []).flatMap((diagnostic: unknown) => {
    if (!isRecord(diagnostic) || diagnostic["type"] !== "side_requests" || !isRecord(diagnostic["details"])) return [];
    const { usages } = diagnostic["details"];
    return Array.isArray(usages) ? usages.flatMap(usageIn) : [];
  });
}

/** Checks `details` and `compaction`, which can be anything in a stored conversation. */
function usageOf(message: AgentMessage): Counted[] {
  if (message.role === "assistant") return [message, ...readSideUsages(message)];
  // The responses of its run count the summaries of a record that was made in one.
  const compaction: unknown = message.role === "user" && "compaction" in message ? message.compaction : undefined;
  if (isRecord(compaction) && compaction["inResponses"] !== true) return usageIn(compaction["usage"]);
  const details: unknown = message.role === "toolResult" ? message.details : undefined;
  return isRecord(details) ? usageIn(details["childUsage"]) : [];
}

function usageIn(usage: unknown): Counted[] {
  return isRecord(usage) ? [{ usage }] : [];
}
