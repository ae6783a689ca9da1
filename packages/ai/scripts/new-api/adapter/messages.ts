/** Converts a conversation to messages of the Example API. */

import {
  type Attachment,
  isBlank,
  resultAttachments,
  shownResultText,
  toDataUrl,
  userParts,
} from "../../../src/providers/content.js";
import {
  describeFile,
  readWireItems,
  type ToolCallIdRule,
  textOfSystem,
  unknownBlock,
  type WireItem,
} from "../../../src/request/index.js";
import type { AssistantMessage, Message, ToolResultMessage, UserBlock } from "../../../src/types/message.js";
import { shortHash } from "../../../src/utils/hash.js";
import { sanitizeSurrogates } from "../../../src/utils/sanitize-unicode.js";

/** The last one is a part that the model sent, whatever its type. */
type WirePart = { type: "text" | "thinking"; text: string } | { type: "image"; url: string } | WireItem;

interface WireToolCall {
  id: string;
  name: string;
  arguments: object;
}

export interface WireMessage {
  role: "user" | "assistant" | "tool";
  content: WirePart[];
  tool_calls?: WireToolCall[];
  tool_call_id?: string;
}

/** The ids of tool calls that the server accepts. */
export const TOOL_CALL_IDS: ToolCallIdRule = {
  normalize: (id) => (/^[a-zA-Z0-9_-]{1,64}$/.test(id) ? id : shortHash(id)),
  maxLength: 64,
};

export function toWireMessages(messages: readonly Message[]): WireMessage[] {
  return messages.map(toWireMessage).filter(({ content, tool_calls }) => content.length > 0 || tool_calls);
}

function toWireMessage(message: Message): WireMessage {
  switch (message.role) {
    case "system":
      // A change that the model takes in the list; without a row in `changes.ts` it is a part of the system prompt.
      return { role: "user", content: userParts(textOfSystem(message)).map(toPart) };
    case "user":
      return { role: "user", content: userParts(message.content).map(toPart) };
    case "assistant":
      return toAssistantMessage(message);
    case "toolResult":
      return toToolMessage(message);
  }
}

function toAssistantMessage(message: AssistantMessage): WireMessage {
  const content: WirePart[] = [];
  const calls: WireToolCall[] = [];
  for (const block of message.content) {
    switch (block.type) {
      case "text":
        if (!isBlank(block.text)) content.push({ type: "text", text: sanitizeSurrogates(block.text) });
        break;
      case "thinking":
        if (!isBlank(block.thinking)) content.push({ type: "thinking", text: sanitizeSurrogates(block.thinking) });
        break;
      case "toolCall":
        calls.push({ id: block.id, name: block.name, arguments: block.arguments });
        break;
      case "image":
      case "file":
        content.push({ type: "text", text: describeFile(block) });
        break;
      case "serverTool":
      case "compaction":
        // Only this api's own: blocks of other providers became text before.
        content.push(...readWireItems(block.signature));
        break;
      default:
        throw unknownBlock(block);
    }
  }
  return { role: "assistant", content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

function toToolMessage({ toolCallId, content, isError }: ToolResultMessage): WireMessage {
  const shown = shownResultText(content);
  const text = isError ? `[tool error] ${shown}` : shown;
  const images = resultAttachments(content).map(toAttachment);
  return { role: "tool", tool_call_id: toolCallId, content: [{ type: "text", text }, ...images] };
}

function toPart(part: UserBlock): WirePart {
  return part.type === "text" ? { type: "text", text: part.text } : toAttachment(part);
}

function toAttachment(part: Attachment): WirePart {
  return part.type === "image" ? { type: "image", url: toDataUrl(part) } : { type: "text", text: describeFile(part) };
}
