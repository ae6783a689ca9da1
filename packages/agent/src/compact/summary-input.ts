/** Selects the messages that a summary replaces. */
import type { Message } from "pi-ai";
import type { AgentMessage } from "../types/message.js";
import { isCompactionMessage } from "./compaction-message.js";
import { isInstructions } from "./context-view.js";

/** The messages from one position to another, without records and without instructions, which stay in every request. */
export function selectForSummary(
  messages: readonly AgentMessage[],
  { from, to, start }: { from: number; to: number; start: number },
): AgentMessage[] {
  return messages
    .slice(startOfSummary(messages, from, start), to)
    .filter((message) => !isCompactionMessage(message) && !isInstructions(message));
}

/** What a provider has compacted need not be read again if its summary can be read. */
function startOfSummary(messages: readonly AgentMessage[], from: number, start: number): number {
  const message = messages[start];
  const blocks = message?.role === "assistant" && Array.isArray(message.content) ? message.content : [];
  return blocks.some((block) => block.type === "compaction" && block.text !== undefined) ? Math.max(from, start) : from;
}

/** Drops messages that a model cannot read, as the agent does by default. */
export function isLlmMessage(message: AgentMessage): message is Message {
  return message.role === "user" || message.role === "assistant" || message.role === "toolResult";
}
