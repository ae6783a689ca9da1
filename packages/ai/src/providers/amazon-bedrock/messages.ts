/** A conversation as messages of ConverseStream. */
import type { BedrockFlags } from "../../compat/bedrock.js";
import { ConfigError } from "../../errors.js";
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
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { EARLIER_CONVERSATION, isBlank, resultAttachments, shownResultText, userParts } from "../content.js";

/** A union with one key, which names the kind. Binary data is base64. */
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

/** By media type (Bedrock API reference, "ImageBlock", 2026-11). */
const IMAGE_FORMATS: Readonly<Record<string, string>> = {
  "image/jpeg": "jpeg",
  "image/jpg": "jpeg",
  "image/png": "png",
  "image/gif": "gif",
  "image/webp": "webp",
};

/** Merges adjacent messages of one role: roles must alternate, starting with the user. */
export function toWireMessages(messages: readonly Message[], flags: BedrockFlags): WireMessage[] {
  const signsThinking = flags.signsThinking || messages.some(hasSignature);
  const wire: WireMessage[] = [];
  const push = (role: WireMessage["role"], content: WireBlock[]): void => {
    const last = wire.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) wire.push({ role, content });
  };
  let images: WireBlock[] = [];
  for (const message of messages) {
    if (message.role === "toolResult") {
      push("user", [toResultBlock(message)]);
      // A failed result holds text only; its images follow the results of the turn.
      if (message.isError) images.push(...resultAttachments(message.content).map(toPart));
      continue;
    }
    push("user", images);
    images = [];
    if (message.role === "user") push("user", userParts(message.content).map(toPart));
    else push("assistant", toAssistantBlocks(message, signsThinking));
  }
  push("user", images);
  if (wire[0]?.role === "assistant") wire.unshift({ role: "user", content: [{ text: EARLIER_CONVERSATION }] });
  return wire;
}

/**
 * A signature shows that the model signs its thinking, even where its id, such as the ARN of an inference profile, does
 * not name it. Signatures of other models do not get this far.
 */
function hasSignature(message: Message): boolean {
  if (message.role !== "assistant") return false;
  return message.content.some((block) => block.type === "thinking" && !block.redacted && block.thinkingSignature);
}

function toPart(part: UserBlock): WireBlock {
  if (part.type === "image") return { image: toImage(part) };
  return { text: part.type === "file" ? describeFile(part) : part.text };
}

function toImage({ data, mimeType }: ImageContent): object {
  const format = IMAGE_FORMATS[mimeType.toLowerCase()];
  if (!format)
    throw new ConfigError(`Bedrock takes no images of type ${mimeType}: convert it to PNG, JPEG, GIF or WebP`);
  return { format, source: { bytes: data } };
}

function toAssistantBlocks(message: AssistantMessage, signsThinking: boolean): WireBlock[] {
  const blocks = message.content.flatMap((block) => toAssistantBlock(block, signsThinking));
  // Claude rejects a message that ends with thinking, which a truncated response can do.
  while (signsThinking && blocks.at(-1)?.["reasoningContent"]) blocks.pop();
  return blocks;
}

function toAssistantBlock(block: AssistantBlock, signsThinking: boolean): WireBlock[] {
  switch (block.type) {
    case "text":
      return isBlank(block.text) ? [] : [{ text: sanitizeSurrogates(block.text) }];
    case "thinking":
      return toThinkingBlocks(block, signsThinking);
    case "toolCall":
      return [{ toolUse: { toolUseId: block.id, name: block.name, input: block.arguments ?? {} } }];
    case "serverTool":
    case "compaction":
      return readWireItems(block.signature);
    case "image":
    case "file":
      return [{ text: describeFile(block) }];
    default:
      throw unknownBlock(block);
  }
}

function toThinkingBlocks(block: ThinkingContent, signsThinking: boolean): WireBlock[] {
  const { thinkingSignature: signature } = block;
  if (block.redacted) {
    return signature ? [{ reasoningContent: { redactedContent: signature } }] : [];
  }
  const text = sanitizeSurrogates(block.thinking);
  // A signature belongs to the exact text.
  if (signsThinking && signature && text === block.thinking) {
    return [{ reasoningContent: { reasoningText: { text, signature } } }];
  }
  if (isBlank(text)) return [];
  return [signsThinking ? { text } : { reasoningContent: { reasoningText: { text } } }];
}

function toResultBlock(message: ToolResultMessage): WireBlock {
  const parts = userParts(message.content).map(toPart);
  const shown = [{ text: shownResultText(message.content) }];
  return {
    toolResult: {
      toolUseId: message.toolCallId,
      content: parts.length > 0 && !message.isError ? parts : shown,
      status: message.isError ? "error" : "success",
    },
  };
}
