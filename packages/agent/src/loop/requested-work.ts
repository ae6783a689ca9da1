/** Finds the work that a response asks for: tool calls, or its own continuation. */
import type { AssistantMessage, ServerToolContent } from "pi-ai";
import type { AgentMessage, AgentToolCall } from "../types/message.js";

/**
 * Returns the tool calls of a response, in the order of its blocks. A server tool that waits for the application counts as
 * one, so that hooks, events, limits, aborts and the steps of durable runs treat both alike.
 */
export function findToolCalls({ content }: AssistantMessage): AgentToolCall[] {
  const toolCalls: AgentToolCall[] = [];
  for (const block of content) {
    if (block.type === "toolCall") toolCalls.push(block);
    else if (block.type === "serverTool" && block.status === "waiting") toolCalls.push(toToolCall(block));
  }
  return toolCalls;
}

function toToolCall(serverTool: ServerToolContent): AgentToolCall {
  const { id, name, input = {} } = serverTool;
  return { type: "toolCall", id, name, arguments: input, serverTool };
}

/** Whether the provider paused the response. It rejects any message before the continuation. */
export function isPaused(message: AgentMessage | undefined): boolean {
  return message?.role === "assistant" && message.stopReason === "pause";
}
