/** Adds up the usage of a conversation, including that of agents that its tools ran. */
import type { Usage } from "pi-ai";
import { isRecord } from "pi-ai/call";
import { addUsage } from "pi-ai/count";
import type { AgentMessage } from "../types/message.js";

type Counted = Parameters<typeof addUsage>[0][number];

/**
 * Returns the usage and cost of the responses in a conversation, including those of agents that `agentTool` ran for it.
 * Their usage is in `details.childUsage` of the tool results.
 */
export function sumUsage(messages: readonly AgentMessage[]): Usage {
  return addUsage(messages.flatMap(usageOf));
}

/** A stored conversation may hold anything in `details`. */
function usageOf(message: AgentMessage): Counted[] {
  if (message.role === "assistant") return [message];
  const details: unknown = message.role === "toolResult" ? message.details : undefined;
  const childUsage = isRecord(details) ? details["childUsage"] : undefined;
  return isRecord(childUsage) ? [{ usage: childUsage }] : [];
}
