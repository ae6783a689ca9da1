/** Blocks that need a tool result. */
import type { AssistantBlock, ToolCall } from "../types/message.js";
import type { ServerToolContent } from "../types/provider-content.js";

/** A tool call, or a server tool that waits for the application. */
export type PendingCall = ToolCall | ServerToolContent;

/** Whether the next request has to bring a result for a block. */
export function needsResult(block: AssistantBlock): block is PendingCall {
  return block.type === "toolCall" || (block.type === "serverTool" && block.status === "waiting");
}
