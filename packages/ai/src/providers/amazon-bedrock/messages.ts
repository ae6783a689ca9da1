/** A conversation as messages of ConverseStream. */
import type { BedrockFlags } from "../../compat/bedrock.js";
import { ConfigError } from "../../errors.js";
import type {
  AssistantMessage,
  ImageContent,
  Message,
  TextContent,
  ThinkingContent,
  ToolResultMessage,
} from "../../types/message.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { isBlank, userParts } from "../content.js";
import type { ToolCallIdRule } from "../transform-messages.js";

/** A union with one key, which names the kind. Binary data is bytes; the SDK encodes it. */
export type WireBlock = Record<string, unknown>;

export interface WireMessage {
  role: "user" | "assistant";
  content: WireBlock[];
}

/** Letters, digits, `_` and `-`, at most 64 (Bedrock API reference, "ToolUseBlock", 2026-11). */
export const BEDROCK_CALL_IDS: ToolCallIdRule = {
  normalize: (id) => id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64),
  maxLength: 64,
};

/** By the last part of the media type (Bedrock API reference, "ImageBlock", 2026-11). */
const IMAGE_FORMATS: Readonly<Record<string, string>> = {
  "image/jpeg": "jpeg",
  "image/jpg": "jpeg",
  "image/png": "png",
  "image/gif": "gif",
  "image/webp": "webp",
};

/** Neighbours of one role become one message: roles have to alternate. */
export function toWireMessages(messages: readonly Message[], flags: BedrockFlags): WireMessage[] {
  const wire: WireMessage[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = toBlocks(message, flags);
    if (content.length === 0) continue;
    const last = wire.at(-1);
    if (last?.role === role) last.content.push(...content);
    else wire.push({ role, content });
  }
  return wire;
}

function toBlocks(message: Message, flags: BedrockFlags): WireBlock[] {
  if (message.role === "user") return userParts(message.content).map(toPart);
  return message.role === "assistant" ? toAssistantBlocks(message, flags) : [toResultBlock(message)];
}

function toPart(part: TextContent | ImageContent): WireBlock {
  return part.type === "text" ? { text: part.text } : { image: toImage(part) };
}

function toImage({ data, mimeType }: ImageContent): object {
  const format = IMAGE_FORMATS[mimeType.toLowerCase()];
  if (!format)
    throw new ConfigError(`Bedrock takes no images of type ${mimeType}: convert it to PNG, JPEG, GIF or WebP`);
  return { format, source: { bytes: Buffer.from(data, "base64") } };
}

function toAssistantBlocks(message: AssistantMessage, flags: BedrockFlags): WireBlock[] {
  const blocks = message.content.flatMap((block): WireBlock[] => {
    if (block.type === "toolCall") {
      return [{ toolUse: { toolUseId: block.id, name: block.name, input: block.arguments ?? {} } }];
    }
    if (block.type === "thinking") return toThinkingBlocks(block, flags);
    return isBlank(block.text) ? [] : [{ text: sanitizeSurrogates(block.text) }];
  });
  // Claude refuses an answer that ends with thinking, which one that was cut off may do.
  while (flags.signsThinking && blocks.at(-1)?.["reasoningContent"]) blocks.pop();
  return blocks;
}

function toThinkingBlocks(block: ThinkingContent, flags: BedrockFlags): WireBlock[] {
  const { thinkingSignature: signature } = block;
  if (block.redacted) {
    return signature ? [{ reasoningContent: { redactedContent: Buffer.from(signature, "base64") } }] : [];
  }
  const text = sanitizeSurrogates(block.thinking);
  // A signature belongs to the exact text.
  if (flags.signsThinking && signature && text === block.thinking) {
    return [{ reasoningContent: { reasoningText: { text, signature } } }];
  }
  if (isBlank(text)) return [];
  return [flags.signsThinking ? { text } : { reasoningContent: { reasoningText: { text } } }];
}

function toResultBlock(message: ToolResultMessage): WireBlock {
  const parts = userParts(message.content).map(toPart);
  return {
    toolResult: {
      toolUseId: message.toolCallId,
      content: parts.length > 0 ? parts : [{ text: "(no tool output)" }],
      status: message.isError ? "error" : "success",
    },
  };
}
