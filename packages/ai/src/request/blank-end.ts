/** Keeps a request from ending with the assistant because the user's last message is blank. */
import type { RequestNote } from "../transport/index.js";
import type { AssistantMessage, Message, UserMessage } from "../types/message.js";
import { isFailure } from "../utils/message-facts.js";

/** Stands for the text of a message that has none. */
const BLANK = "(blank message)";

/**
 * Blank messages are left out of a request. If the last one follows a response, the request would end with it, which Claude
 * from 4.6 on (platform.claude.com, "What's new in Claude 4.6": prefill removal, 2026-02) and Mistral refuse.
 */
export function fillBlankEnd(messages: Message[]): { messages: Message[]; notes: RequestNote[] } {
  const last = messages.at(-1);
  if (last?.role !== "user" || !isBlankUser(last)) return { messages, notes: [] };
  const before = messages.findLast((message) => !isLeftOut(message));
  if (before?.role !== "assistant") return { messages, notes: [] };
  const notes: RequestNote[] = [];
  notes.push({ type: "blank_message_filled", details: { sent: BLANK } });
  return { messages: [...messages.slice(0, -1), { ...last, content: BLANK }], notes };
}

function isLeftOut(message: Message): boolean {
  if (message.role === "user") return isBlankUser(message);
  return message.role === "assistant" && (isFailure(message.stopReason) || isEmptyResponse(message));
}

function isEmptyResponse({ content }: AssistantMessage): boolean {
  return Array.isArray(content) && content.every((block) => !block || (block.type === "text" && isBlank(block.text)));
}

function isBlankUser({ content }: UserMessage): boolean {
  if (typeof content === "string") return isBlank(content);
  return (content ?? []).every((part) => !part || (part.type === "text" && isBlank(part.text)));
}

function isBlank(text: unknown): boolean {
  return typeof text !== "string" || text.trim() === "";
}
