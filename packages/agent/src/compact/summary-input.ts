/** Selects the messages to summarise. */
import type { Message } from "pi-ai";
import type { AgentMessage } from "../types/message.js";
import { isCompactionMessage } from "./compaction-message.js";
import { isInstructions } from "./context-view.js";

/**
 * Returns the messages from position `from` up to `to`, without records, and without instructions, which stay in every request.
 *
 * @param start the position from which the provider reads the conversation
 */
export function selectForSummary(
  messages: readonly AgentMessage[],
  { from, to, start }: { from: number; to: number; start: number },
): AgentMessage[] {
  return messages
    .slice(startOfSummary(messages, from, start), to)
    .filter((message) => !isCompactionMessage(message) && !isInstructions(message));
}

/** Skips what the provider has compacted if its summary can be read: the summary is then part of the message at `start`. */
function startOfSummary(messages: readonly AgentMessage[], from: number, start: number): number {
  const message = messages[start];
  const blocks = message?.role === "assistant" && Array.isArray(message.content) ? message.content : [];
  return blocks.some((block) => block.type === "compaction" && block.text !== undefined) ? Math.max(from, start) : from;
}

/** Drops messages that a model cannot read, as the agent does by default. */
export function isLlmMessage(message: AgentMessage): message is Message {
  return message.role === "user" || message.role === "assistant" || message.role === "toolResult";
}
