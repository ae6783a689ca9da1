import type { Usage } from "pi-ai";
import type { AgentMessage } from "../types/message.js";

/** The tokens of a run, and their cost in USD. */
export interface RunUsage extends Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite" | "totalTokens"> {
  /** In USD. */
  cost: number;
}

/** The usage of all responses. */
export function sumUsage(messages: readonly AgentMessage[]): { usage: RunUsage } {
  const usage: RunUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: 0 };
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const key of ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] as const) {
      usage[key] += message.usage[key];
    }
    usage.cost += message.usage.cost.total;
  }
  return { usage };
}
