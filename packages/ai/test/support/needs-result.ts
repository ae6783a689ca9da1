import type { AssistantMessage, ServerToolContent, ToolCall } from "pi-ai";

/** Whether the next request has to bring a result for a block: a tool call, or a server tool that waits for one. */
export function needsResult(block: AssistantMessage["content"][number]): block is ToolCall | ServerToolContent {
  return block.type === "toolCall" || (block.type === "serverTool" && block.status === "waiting");
}
