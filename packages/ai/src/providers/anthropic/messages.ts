/** A conversation as messages of the Anthropic Messages API. */
import type {
  AssistantMessage,
  ImageContent,
  Message,
  TextContent,
  ThinkingContent,
  ToolResultMessage,
} from "../../types/message.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { isBlank, resultImages, resultText, userParts } from "../content.js";
import type { ToolCallIdRule } from "../transform-messages.js";

export interface WireBlock {
  type: string;
  cache_control?: CacheControl;
  [field: string]: unknown;
}

export interface CacheControl {
  type: "ephemeral";
  ttl?: "1h";
}

export interface WireMessage {
  role: "user" | "assistant";
  content: WireBlock[];
}

/** Tool use ids: letters, digits, `_` and `-`, at most 64 (Anthropic API reference, Messages, 2026-11). */
export const ANTHROPIC_CALL_IDS: ToolCallIdRule = {
  normalize: (id) => id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64),
  maxLength: 64,
};

export function toWireMessages(messages: readonly Message[], allowEmptySignature: boolean): WireMessage[] {
  const wire: WireMessage[] = [];
  let results: WireBlock[] | undefined;
  for (const message of messages) {
    if (message.role === "toolResult") {
      // All results of one turn belong into one message.
      if (!results) {
        results = [];
        wire.push({ role: "user", content: results });
      }
      results.push(toResultBlock(message));
      continue;
    }
    results = undefined;
    const content =
      message.role === "user"
        ? userParts(message.content).map(toUserBlock)
        : toAssistantBlocks(message, allowEmptySignature);
    if (content.length > 0) wire.push({ role: message.role, content });
  }
  return wire;
}

function toUserBlock(part: TextContent | ImageContent): WireBlock {
  return part.type === "text" ? { type: "text", text: part.text } : toImageBlock(part);
}

function toImageBlock(image: ImageContent): WireBlock {
  return { type: "image", source: { type: "base64", media_type: image.mimeType, data: image.data } };
}

function toAssistantBlocks(message: AssistantMessage, allowEmptySignature: boolean): WireBlock[] {
  return message.content.flatMap((block): WireBlock[] => {
    if (block.type === "toolCall") {
      return [{ type: "tool_use", id: block.id, name: block.name, input: block.arguments ?? {} }];
    }
    if (block.type === "thinking") return toThinkingBlock(block, allowEmptySignature);
    if (block.type !== "text" || isBlank(block.text)) return [];
    return [{ type: "text", text: sanitizeSurrogates(block.text) }];
  });
}

function toThinkingBlock(block: ThinkingContent, allowEmptySignature: boolean): WireBlock[] {
  if (block.redacted)
    return block.thinkingSignature ? [{ type: "redacted_thinking", data: block.thinkingSignature }] : [];
  const thinking = sanitizeSurrogates(block.thinking);
  // A signature belongs to the exact text.
  if (block.thinkingSignature && thinking === block.thinking) {
    return [{ type: "thinking", thinking, signature: block.thinkingSignature }];
  }
  if (isBlank(thinking)) return [];
  return [allowEmptySignature ? { type: "thinking", thinking, signature: "" } : { type: "text", text: thinking }];
}

function toResultBlock(message: ToolResultMessage): WireBlock {
  const text = resultText(message.content);
  const images = resultImages(message.content);
  const content =
    images.length === 0
      ? text
      : [{ type: "text", text: isBlank(text) ? "(see attached image)" : text }, ...images.map(toImageBlock)];
  return { type: "tool_result", tool_use_id: message.toolCallId, content, is_error: message.isError };
}
