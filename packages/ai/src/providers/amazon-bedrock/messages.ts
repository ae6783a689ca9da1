/** A conversation as messages of ConverseStream. */
import type { BedrockFlags } from "../../catalogue/compat/index.js";
import {
  describeFile,
  EARLIER_CONVERSATION,
  readWireItems,
  type ToolCallIdRule,
  unknownBlock,
} from "../../request/index.js";
import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  ThinkingContent,
  ToolResultMessage,
  UserBlock,
} from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { isText } from "../../utils/read-text.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { cacheOf, isBlank, shownResultText, userParts } from "../content.js";
import { Attachments, completeAttachments, fitsIntoResult } from "./attachments.js";
import type { WireBlock, WireMessage } from "./wire-message.js";

/** Letters, digits, `_` and `-`, at most 64 (Bedrock API reference, "ToolUseBlock", 2026-11). */
export const BEDROCK_CALL_IDS: ToolCallIdRule = {
  normalize: (id) => id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64),
  maxLength: 64,
  always: true,
};

/** Merges adjacent messages of one role: roles must alternate, starting with the user. */
export function toWireMessages(messages: readonly Message[], flags: BedrockFlags, modelId: string): WireMessage[] {
  const signsThinking = flags.signsThinking || messages.some(hasSignature);
  const attachments = new Attachments(modelId);
  const toPart = (part: UserBlock): WireBlock =>
    part.type === "text" ? { text: part.text } : attachments.toBlock(part);
  const wire: WireMessage[] = [];
  const push = (role: WireMessage["role"], content: WireBlock[]): void => {
    const last = wire.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) wire.push({ role, content });
  };
  let beside: WireBlock[] = [];
  for (const message of messages) {
    if (message.role === "toolResult") {
      const parts = userParts(message.content).map(toPart);
      push("user", [toResultBlock(message, parts.filter(fitsIntoResult)), ...pointOf(cacheOf(message.content))]);
      // A failed result accepts only text; its other blocks follow the results of the turn.
      beside.push(...parts.filter((part) => !("text" in part) && (message.isError || !fitsIntoResult(part))));
      continue;
    }
    // The api takes changes at the beginning only.
    if (message.role === "system") continue;
    push("user", beside);
    beside = [];
    if (message.role === "user")
      push(
        "user",
        userParts(message.content).flatMap((part) => [toPart(part), ...pointOf(part.cache)]),
      );
    else push("assistant", toAssistantBlocks(message, signsThinking));
  }
  push("user", beside);
  for (const { role, content } of wire) if (role === "user") completeAttachments(content);
  if (wire[0]?.role === "assistant") wire.unshift({ role: "user", content: [{ text: EARLIER_CONVERSATION }] });
  return wire;
}

/** The cache point that the application set. The request builder decides which ones to keep. */
function pointOf(cache: UserBlock["cache"]): WireBlock[] {
  return cache ? [cachePoint(cache === "long")] : [];
}

/** The longest lifetime of a cache point. */
export const LONG = "1h";

export function cachePoint(long: boolean): WireBlock {
  return { cachePoint: { type: "default", ...(long ? { ttl: LONG } : {}) } };
}

/**
 * A signature shows that the model signs its thinking, even where its id, such as the ARN of an inference profile, does
 * not name it. Signatures of other models do not get this far.
 */
function hasSignature(message: Message): boolean {
  if (message.role !== "assistant") return false;
  return message.content.some((block) => block.type === "thinking" && !block.redacted && block.thinkingSignature);
}

function toAssistantBlocks(message: AssistantMessage, signsThinking: boolean): WireBlock[] {
  const blocks = settled(message.content.flatMap((block) => toAssistantBlock(block, signsThinking)));
  // Claude rejects a message that ends with thinking, which a truncated response can do.
  while (signsThinking && blocks.at(-1)?.["reasoningContent"]) blocks.pop();
  return blocks;
}

/** Removes server tool uses without a result, and results without a use. */
function settled(blocks: readonly WireBlock[]): WireBlock[] {
  // Other blocks have no id.
  const uses = new Set([undefined, ...blocks.map(serverUseId)]);
  const results = new Set([undefined, ...blocks.map(resultId)]);
  return blocks.filter((block) => results.has(serverUseId(block)) && uses.has(resultId(block)));
}

function serverUseId({ toolUse }: WireBlock): unknown {
  return isRecord(toolUse) && toolUse["type"] === "server_tool_use" ? toolUse["toolUseId"] : undefined;
}

/** The name of the provider's tool that a block uses; empty for another block. */
export function serverToolName(block: WireBlock): string[] {
  const { toolUse } = block;
  return serverUseId(block) !== undefined && isRecord(toolUse) && isText(toolUse["name"]) ? [toolUse["name"]] : [];
}

function resultId({ toolResult }: WireBlock): unknown {
  return isRecord(toolResult) ? toolResult["toolUseId"] : undefined;
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
  // A signature is valid for the exact text only.
  if (signsThinking && signature && text === block.thinking) {
    return [{ reasoningContent: { reasoningText: { text, signature } } }];
  }
  if (isBlank(text)) return [];
  return [signsThinking ? { text } : { reasoningContent: { reasoningText: { text } } }];
}

function toResultBlock(message: ToolResultMessage, parts: WireBlock[]): WireBlock {
  const shown = [{ text: shownResultText(message.content) }];
  return {
    toolResult: {
      toolUseId: message.toolCallId,
      content: parts.length > 0 && !message.isError ? parts : shown,
      status: message.isError ? "error" : "success",
    },
  };
}
