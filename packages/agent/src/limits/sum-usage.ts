/** Adds up the usage of a conversation, including that of agents that its tools ran. */
import type { Usage, UsageCost } from "pi-ai";
import { createAssistantMessage, isRecord } from "pi-ai/call";
import type { AgentMessage } from "../types/message.js";

// Records, so that a new count or part of the cost fails to compile here.
const COUNTS: Readonly<Record<Exclude<keyof Usage, "cost">, true>> = {
  input: true,
  output: true,
  cacheRead: true,
  cacheWrite: true,
  cacheWrite1h: true,
  reasoning: true,
  totalTokens: true,
};
const COSTS: Readonly<Record<keyof UsageCost, true>> = {
  input: true,
  output: true,
  cacheRead: true,
  cacheWrite: true,
  total: true,
  reported: true,
};
// Object.keys has no narrower type; the records name exactly these keys.
const COUNT_NAMES = Object.keys(COUNTS) as (keyof typeof COUNTS)[];
const COST_NAMES = Object.keys(COSTS) as (keyof typeof COSTS)[];

/**
 * Returns the usage and cost of the responses in a conversation, including those of agents that `agentTool` ran for it.
 * Their usage is in `details.childUsage` of the tool results.
 */
export function sumUsage(messages: readonly AgentMessage[]): Usage {
  const { usage: sum } = createAssistantMessage({ api: "", provider: "", id: "" });
  for (const message of messages) {
    if (message.role === "assistant") addTo(sum, message.usage);
    else if (message.role === "toolResult") {
      const details: unknown = message.details;
      if (isRecord(details) && isRecord(details["childUsage"])) addTo(sum, details["childUsage"]);
    }
  }
  return sum;
}

/** A stored conversation may hold anything in `details`, so only numbers count. */
function addTo(sum: Usage, usage: Usage | Record<string, unknown>): void {
  for (const name of COUNT_NAMES) {
    const value = usage[name];
    if (typeof value === "number") sum[name] = (sum[name] ?? 0) + value;
  }
  const { cost } = usage;
  if (!isRecord(cost)) return;
  for (const name of COST_NAMES) {
    const value = cost[name];
    if (typeof value === "number") sum.cost[name] = (sum.cost[name] ?? 0) + value;
  }
}
