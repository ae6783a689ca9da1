import type { Usage } from "pi-ai";
import { addUsage } from "pi-ai/count";
import type { AgentMessage } from "../types/message.js";

/** The tokens of a run, and their cost in USD. */
export interface RunUsage extends Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite" | "totalTokens"> {
  /** In USD. */
  cost: number;
}

/** The usage of all responses. */
export function sumUsage(messages: readonly AgentMessage[]): { usage: RunUsage } {
  const responses = messages.filter((message) => message.role === "assistant");
  const { input, output, cacheRead, cacheWrite, totalTokens, cost } = addUsage(responses);
  return { usage: { input, output, cacheRead, cacheWrite, totalTokens, cost: cost.total } };
}
