/** Blocks that need a tool result. */
import type { AssistantBlock, ServerToolContent, ToolCall } from "../types/message.js";

/** A tool call, or a server tool that waits for the application. */
export type PendingCall = ToolCall | ServerToolContent;

/** Whether the next request has to bring a result for a block. */
export function needsResult(block: AssistantBlock): block is PendingCall {
  return block.type === "toolCall" || (block.type === "serverTool" && block.status === "waiting");
}
