import type { Usage } from "pi-ai";
import { isRecord } from "pi-ai/call";
import { addUsage } from "pi-ai/count";
import type { AgentMessage } from "../types/message.js";

type Counted = Parameters<typeof addUsage>[0][number];

/**
 * Adds up the usage and cost of the responses in a conversation and of the agents that `agentTool` ran for it. What those
 * agents used is in `details.childUsage` of the tool results.
 */
export function sumUsage(messages: readonly AgentMessage[]): Usage {
  return addUsage(messages.flatMap(usageOf));
}

/** Checks `details`, which can be anything in a stored conversation. */
function usageOf(message: AgentMessage): Counted[] {
  if (message.role === "assistant") return [message];
  const details: unknown = message.role === "toolResult" ? message.details : undefined;
  const childUsage = isRecord(details) ? details["childUsage"] : undefined;
  return isRecord(childUsage) ? [{ usage: childUsage }] : [];
}
