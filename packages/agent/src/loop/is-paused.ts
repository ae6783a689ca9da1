/** Whether a response waits for its continuation. */
import type { AgentMessage } from "../types/message.js";

/** Whether the provider paused the response. It rejects any message before the continuation. */
export function isPaused(message: AgentMessage | undefined): boolean {
  return message?.role === "assistant" && message.stopReason === "pause";
}
