/** A conversation as messages of the Anthropic Messages API. */

import { describeFile } from "../../handoff/portable-content.js";
import type { ToolCallIdRule } from "../../handoff/transform-messages.js";
import { unknownBlock } from "../../handoff/unknown-block.js";
import { readWireItems } from "../../handoff/wire-items.js";
import type {
  AssistantBlock,
  AssistantMessage,
  ImageContent,
  Message,
  ThinkingContent,
  ToolResultMessage,
  UserBlock,
} from "../../types/message.js";
import type { CompactionContent, ServerToolContent } from "../../types/provider-content.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import {
  type Attachment,
  EARLIER_CONVERSATION,
  isBlank,
  resultAttachments,
  resultText,
  shownResultText,
  userParts,
} from "../content.js";

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
  let results: ToolResultMessage[] = [];
  for (const message of messages) {
    if (message.role === "toolResult") {
      results.push(message);
      continue;
    }
    pushResults(wire, results);
    results = [];
    const content =
      message.role === "user"
        ? userParts(message.content).map(toUserBlock)
        : toAssistantBlocks(message, allowEmptySignature);
    if (content.length > 0) wire.push({ role: message.role, content });
  }
  pushResults(wire, results);
  // The first message must be the user's (Anthropic API reference, Messages, 2026-11).
  if (wire[0]?.role === "assistant") {
    wire.unshift({ role: "user", content: [{ type: "text", text: EARLIER_CONVERSATION }] });
  }
  return wire;
}

/**
 * Whether the request continues a tool loop that began without thinking. Thinking must then stay off until the turn
 * ends: "When `thinking` is enabled, a final `assistant` message must start with a thinking block".
 */
export function isTurnWithoutThinking(messages: readonly WireMessage[]): boolean {
  let first: WireBlock | undefined;
  let underWay = false;
  for (const [position, message] of messages.entries()) {
    if (message.role === "assistant") {
      if (!underWay) first = message.content[0];
      underWay = true;
    } else if (messages[position - 1]?.role === "assistant") {
      // The server expects a user message after tool results in the same message as the results.
      underWay = holdsResults(message);
    }
  }
  return underWay && !isThinking(first);
}

function holdsResults(message: WireMessage): boolean {
  return message.content.some((block) => block.type === "tool_result");
}

function isThinking(block: WireBlock | undefined): boolean {
  return block?.type === "thinking" || block?.type === "redacted_thinking";
}

function toUserBlock(part: UserBlock): WireBlock {
  return part.type === "text" ? { type: "text", text: part.text } : toAttachmentBlock(part);
}

function toAttachmentBlock(part: Attachment): WireBlock {
  return part.type === "image" ? toImageBlock(part) : { type: "text", text: describeFile(part) };
}

function toImageBlock(image: ImageContent): WireBlock {
  return { type: "image", source: { type: "base64", media_type: image.mimeType, data: image.data } };
}

function toAssistantBlocks(message: AssistantMessage, allowEmptySignature: boolean): WireBlock[] {
  const blocks = message.content.flatMap((block) => toAssistantBlock(block, allowEmptySignature));
  // The API rejects a message that ends with thinking, which a truncated response can do.
  return blocks.slice(0, blocks.findLastIndex((block) => !isThinking(block)) + 1);
}

function toAssistantBlock(block: AssistantBlock, allowEmptySignature: boolean): WireBlock[] {
  switch (block.type) {
    case "text":
      return isBlank(block.text) ? [] : [{ type: "text", text: sanitizeSurrogates(block.text) }];
    case "thinking":
      return toThinkingBlock(block, allowEmptySignature);
    case "toolCall":
      return [{ type: "tool_use", id: block.id, name: block.name, input: block.arguments ?? {} }];
    case "serverTool":
    case "compaction":
      return toOwnBlocks(block);
    case "image":
    case "file":
      return [{ type: "text", text: describeFile(block) }];
    default:
      throw unknownBlock(block);
  }
}

/** The server's own blocks as they came. */
function toOwnBlocks(block: ServerToolContent | CompactionContent): WireBlock[] {
  return readWireItems(block.signature).map((item) => ({ ...item, type: String(item["type"]) }));
}

function toThinkingBlock(block: ThinkingContent, allowEmptySignature: boolean): WireBlock[] {
  if (block.redacted)
    return block.thinkingSignature ? [{ type: "redacted_thinking", data: block.thinkingSignature }] : [];
  const thinking = sanitizeSurrogates(block.thinking);
  // A signature is valid for the exact text only.
  if (block.thinkingSignature && thinking === block.thinking) {
    return [{ type: "thinking", thinking, signature: block.thinkingSignature }];
  }
  if (isBlank(thinking)) return [];
  return [allowEmptySignature ? { type: "thinking", thinking, signature: "" } : { type: "text", text: thinking }];
}

/** All results of one turn go into one message, before anything else. A failed result holds text only. */
function pushResults(wire: WireMessage[], results: readonly ToolResultMessage[]): void {
  if (results.length === 0) return;
  const images = results.flatMap((result) => (result.isError ? resultAttachments(result.content) : []));
  wire.push({ role: "user", content: [...results.map(toResultBlock), ...images.map(toAttachmentBlock)] });
}

function toResultBlock(message: ToolResultMessage): WireBlock {
  const images = message.isError ? [] : resultAttachments(message.content);
  const text = shownResultText(message.content);
  const plain = message.isError ? text : resultText(message.content);
  const content = images.length === 0 ? plain : [{ type: "text", text }, ...images.map(toAttachmentBlock)];
  return { type: "tool_result", tool_use_id: message.toolCallId, content, is_error: message.isError };
}
