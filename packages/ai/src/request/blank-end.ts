/** Keeps a request from ending with the assistant where the model refuses that. */
import { ConfigError } from "../errors.js";
import type { RequestNote } from "../transport/index.js";
import type { AssistantMessage, Message, UserMessage } from "../types/message.js";
import type { Model } from "../types/model.js";
import { isFailure, isInterrupted } from "../utils/message-facts.js";

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

/**
 * A response to write on is a prefill, unless it has paused, was compacted, or has calls, whose results follow.
 *
 * @throws ConfigError if the conversation ends with one
 */
export function assertNoPrefill(messages: readonly Message[], { id, api }: Pick<Model, "id" | "api">): void {
  const tail = messages.findLast((message) => message.role !== "toolResult" && !isLeftOut(message));
  if (tail?.role !== "assistant" || isInterrupted(tail) || !Array.isArray(tail.content)) return;
  // Results without a call are left out.
  if (tail.content.some((block) => goesOn(block, tail.api === api))) return;
  throw new ConfigError(
    `${id} writes on no response: the conversation must end with a message of the user or the result of a tool`,
  );
}

/** Whether the server itself goes on after a block, or a result is added. Another api's compaction is not sent. */
function goesOn(block: AssistantMessage["content"][number] | null, isOwn: boolean): boolean {
  if (block?.type === "serverTool") return block.status === "waiting";
  return block?.type === "toolCall" || (block?.type === "compaction" && isOwn);
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
