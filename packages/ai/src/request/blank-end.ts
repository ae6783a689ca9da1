/** Keeps a request from ending with the assistant where the model refuses that. */
import type { RequestNote } from "../transport/index.js";
import type { AssistantMessage, Message, UserMessage } from "../types/message.js";
import type { Model } from "../types/model.js";
import { isFailure, isInterrupted } from "../utils/message-facts.js";
import { isBlankText } from "../utils/sanitize-unicode.js";
import { isSameModel } from "./handoff/same-model.js";

/** Stands for the text of a message that has none. */
const BLANK = "(blank message)";
/** Follows a response that the model is to go on with. */
const GO_ON = "(go on)";

export interface FilledEnd {
  messages: Message[];
  notes: RequestNote[];
}

/**
 * Blank messages are left out of a request. If the last one follows a response, the request would end with it, which Claude
 * from 4.6 on (platform.claude.com, "What's new in Claude 4.6": prefill removal, 2026-02) and Mistral refuse.
 */
export function fillBlankEnd(messages: Message[]): FilledEnd {
  const last = messages.at(-1);
  if (last?.role !== "user" || !isBlankUser(last)) return { messages, notes: [] };
  const before = messages.findLast((message) => !isLeftOut(message));
  if (before?.role !== "assistant") return { messages, notes: [] };
  const notes: RequestNote[] = [];
  notes.push({ type: "blank_message_filled", details: { sent: BLANK } });
  return { messages: [...messages.slice(0, -1), { ...last, content: BLANK }], notes };
}

/**
 * The messages for a model that writes on no response. A response at the end is a prefill, unless this model has paused it or
 * compacted it, or it has calls, whose results follow. A short message of the user follows it.
 */
export function closeResponse(messages: Message[], model: Pick<Model, "api" | "provider" | "id">): FilledEnd {
  const notes: RequestNote[] = [];
  const tail = messages.findLast((message) => message.role !== "toolResult" && !isLeftOut(message));
  if (tail?.role !== "assistant" || !Array.isArray(tail.content)) return { messages, notes };
  const isOwn = isSameModel(tail, model);
  if (isOwn && isInterrupted(tail)) return { messages, notes };
  // Results without a call are left out.
  if (tail.content.some((block) => goesOn(block, isOwn))) return { messages, notes };
  notes.push({ type: "message_added", details: { sent: GO_ON } });
  return { messages: [...messages, { role: "user", content: GO_ON, timestamp: tail.timestamp }], notes };
}

/** Whether the server itself goes on after a block, or a result is added. Of another model, all but calls is sent as a text. */
function goesOn(block: AssistantMessage["content"][number] | null, isOwn: boolean): boolean {
  if (block?.type === "serverTool") return isOwn && block.status === "waiting";
  return block?.type === "toolCall" || (block?.type === "compaction" && isOwn);
}

function isLeftOut(message: Message): boolean {
  // A change is placed before the response that it precedes.
  if (message.role === "system") return true;
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
  return typeof text !== "string" || isBlankText(text);
}
