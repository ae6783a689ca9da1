/** Decides which parts of a message the target model may see. */
import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  ToolResultMessage,
  UserBlock,
  UserMessage,
} from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { isFailure } from "../../utils/message-facts.js";
import { replayCall, replayThinking, unknownBlock } from "../replayed-block.js";
import { sourcesOf, toForeign } from "./foreign-content.js";
import { type Reader, readOrNote } from "./foreign-files.js";
import { isSameModel } from "./same-model.js";
import { inWireOrder } from "./wire-items.js";

/** The message to send. Undefined for a failed or aborted response and for an unknown role, which must not be sent. */
export function toReplayable(message: Message, reader: Reader, foreignThinking: "text" | "drop"): Message | undefined {
  // The rest of it is for this model.
  if (message.role === "system") return message;
  if (message.role === "user") return replayUser(message, reader);
  if (message.role === "toolResult") return replayResult(message, reader);
  if (message.role !== "assistant" || isFailure(message.stopReason)) return undefined;
  return replayAssistant(message, reader.model, foreignThinking);
}

function replayUser(message: UserMessage, reader: Reader): UserMessage {
  if (typeof message.content === "string") return message;
  return withContent(message, readable(message.content, reader, ""));
}

function replayResult(message: ToolResultMessage, reader: Reader): ToolResultMessage {
  // Imported transcripts may have a plain string as content.
  const content: unknown = message.content;
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : message.content;
  return withContent(message, readable(parts, reader, "tool "));
}

/** Imported transcripts may lack content; treat it as empty. */
function readable(content: readonly UserBlock[] | null | undefined, reader: Reader, prefix: "" | "tool "): UserBlock[] {
  const parts: UserBlock[] = [];
  for (const part of content ?? []) {
    if (!part) continue;
    if (part.type === "text") {
      parts.push(ofText(part));
      continue;
    }
    const shown = readOrNote(part, reader, prefix);
    const last = parts.at(-1);
    // Several files that the model does not accept in a row need one note.
    if (shown === part || shown.type !== "text" || last?.type !== "text" || last.text !== shown.text) parts.push(shown);
  }
  return parts;
}

function replayAssistant(message: AssistantMessage, model: Model, foreignThinking: "text" | "drop"): AssistantMessage {
  const given = Array.isArray(message.content) ? message.content : textContent(message.content);
  const content: AssistantBlock[] = [];
  const isOwn = isSameModel(message, model);
  const toSent = isOwn ? toOwn : toForeign;
  for (const block of isOwn ? inWireOrder(given) : given) {
    const sent = block && toSent(block.type === "text" ? ofText(block) : block, foreignThinking);
    if (sent) content.push(sent);
  }
  return isOwn ? withContent(message, content) : { ...message, content: [...content, ...sourcesOf(given)] };
}

/** Returns the message itself if its content is unchanged: otherwise each request would copy a long conversation. */
export function withContent<TMessage extends { content: unknown }>(
  message: TMessage,
  content: TMessage["content"] & readonly unknown[],
): TMessage {
  const given: unknown = message.content;
  const isSame =
    Array.isArray(given) && given.length === content.length && content.every((block, index) => block === given[index]);
  return isSame ? message : { ...message, content };
}

/** Converts a block for the model that produced it. Undefined if it must not be sent. */
function toOwn(block: AssistantBlock, foreignThinking: "text" | "drop"): AssistantBlock | undefined {
  switch (block.type) {
    case "text":
    case "image":
    case "file":
      return block;
    case "thinking":
      return replayThinking(block, true, foreignThinking);
    case "toolCall":
      return replayCall(block);
    case "serverTool":
    case "compaction":
      // Without a signature there is nothing to send back, as in a message that an application wrote.
      return block.signature === undefined ? toForeign(block, foreignThinking) : block;
    default:
      throw unknownBlock(block);
  }
}

/** Imported transcripts may have a number as text. Any other value counts as blank text, which is left out. */
function ofText<TBlock extends { text: string }>(block: TBlock): TBlock {
  const text: unknown = block.text;
  return typeof text === "number" || typeof text === "boolean" ? { ...block, text: String(text) } : block;
}

/** Imported transcripts may have a plain string as content, or none. */
function textContent(content: unknown): AssistantMessage["content"] {
  return typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : [];
}
