/** What a target model may see of one message of the conversation. */

import { toWellFormed } from "../json/well-formed-data.js";
import type {
  AssistantMessage,
  ImageContent,
  Message,
  TextContent,
  ThinkingContent,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "../types/message.js";
import type { Model } from "../types/model.js";

const USER_IMAGE_OMITTED = "(image omitted: model does not support images)";
const TOOL_IMAGE_OMITTED = "(tool image omitted: model does not support images)";

/** Undefined for a message that must not be sent: a failed or aborted answer, or one of an unknown role. */
export function toReplayable(message: Message, model: Model, foreignThinking: "text" | "drop"): Message | undefined {
  if (message.role === "user") return replayUser(message, model);
  if (message.role === "toolResult") return replayResult(message, model);
  if (message.role !== "assistant" || message.stopReason === "error" || message.stopReason === "aborted")
    return undefined;
  return replayAssistant(message, model, foreignThinking);
}

function replayUser(message: UserMessage, model: Model): UserMessage {
  if (typeof message.content === "string") return message;
  return { ...message, content: withoutImages(message.content, model, USER_IMAGE_OMITTED) };
}

function replayResult(message: ToolResultMessage, model: Model): ToolResultMessage {
  // The content of imported transcripts may be a bare string.
  const content: unknown = message.content;
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : message.content;
  return { ...message, content: withoutImages(parts, model, TOOL_IMAGE_OMITTED) };
}

/** Content of imported transcripts may be missing; it counts as empty. */
function withoutImages(
  content: readonly (TextContent | ImageContent)[] | null | undefined,
  model: Model,
  placeholder: string,
): (TextContent | ImageContent)[] {
  const parts: (TextContent | ImageContent)[] = [];
  for (const part of content ?? []) {
    if (!part) continue;
    if (part.type !== "image" || model.input.includes("image")) {
      parts.push(part);
      continue;
    }
    const last = parts.at(-1);
    if (last?.type !== "text" || last.text !== placeholder) parts.push({ type: "text", text: placeholder });
  }
  return parts;
}

function replayAssistant(message: AssistantMessage, model: Model, foreignThinking: "text" | "drop"): AssistantMessage {
  const own = isSameModel(message, model);
  const given = Array.isArray(message.content) ? message.content : textContent(message.content);
  const content = given.flatMap((block): AssistantMessage["content"] => {
    if (!block) return [];
    if (block.type === "thinking") return replayThinking(block, own, foreignThinking);
    if (block.type === "toolCall") return [replayCall(block, own)];
    if (block.type !== "text" || own || block.textSignature === undefined) return [block];
    return [{ type: "text" as const, text: block.text }];
  });
  return { ...message, content };
}

/** Whether the target made the message itself. */
export function isSameModel(message: AssistantMessage, model: Model): boolean {
  return message.provider === model.provider && message.api === model.api && message.model === model.id;
}

/** Content of imported transcripts may be a bare string, or missing. */
function textContent(content: unknown): AssistantMessage["content"] {
  return typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : [];
}

function replayThinking(
  block: ThinkingContent,
  own: boolean,
  foreignThinking: "text" | "drop",
): (ThinkingContent | TextContent)[] {
  if (own && (block.redacted || block.thinkingSignature)) return [block];
  if (block.redacted || !block.thinking || block.thinking.trim() === "") return [];
  if (own) return [block];
  return foreignThinking === "text" ? [{ type: "text", text: block.thinking }] : [];
}

/** A call whose arguments did not parse goes back as one without arguments; its result tells the model why it failed. */
function replayCall(block: ToolCall, own: boolean): ToolCall {
  const { thoughtSignature, argumentsError, argumentsText: _text, ...call } = block;
  return {
    ...call,
    arguments: argumentsError === undefined && isObject(call.arguments) ? toWellFormed(call.arguments) : {},
    ...(own && thoughtSignature !== undefined ? { thoughtSignature } : {}),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
