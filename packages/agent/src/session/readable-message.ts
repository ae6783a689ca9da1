/** Checks that a message can be read back from a log and sent to a model again. */
import type { AgentMessage } from "../types/message.js";

/** Messages of an application may hold any fields besides their role. */
export function isReadableMessage(value: unknown): value is AgentMessage {
  if (typeof value !== "object" || value === null || !("role" in value) || typeof value.role !== "string") return false;
  const content = "content" in value ? value.content : undefined;
  switch (value.role) {
    case "user":
      return typeof content === "string" || isBlocks(content);
    case "assistant":
      return isBlocks(content);
    case "toolResult":
      return isBlocks(content) && "toolCallId" in value && typeof value.toolCallId === "string";
    default:
      return true;
  }
}

function isBlocks(value: unknown): boolean {
  return Array.isArray(value) && value.every(isBlock);
}

function isBlock(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
