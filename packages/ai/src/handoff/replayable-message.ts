/** Decides which parts of a message the target model may see. */

import { toWellFormed } from "../json/well-formed-data.js";
import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  TextContent,
  ThinkingContent,
  ToolCall,
  ToolResultMessage,
  UserBlock,
  UserMessage,
} from "../types/message.js";
import type { Model } from "../types/model.js";
import { isRecord } from "../utils/is-object.js";
import { unknownBlock } from "./unknown-block.js";

/** The fields of each block type. `false` marks opaque data, which is sent only to the model that produced it. */
const PORTABLE: { readonly [TType in PortableBlock["type"]]: FieldsOf<Extract<PortableBlock, { type: TType }>> } = {
  text: { type: true, text: true, textSignature: false },
  toolCall: {
    type: true,
    id: true,
    name: true,
    arguments: true,
    argumentsError: true,
    argumentsText: true,
    thoughtSignature: false,
  },
};

/** Another model's thinking becomes text, see {@link replayThinking}. */
type PortableBlock = Exclude<AssistantBlock, ThinkingContent>;
type FieldsOf<TBlock> = { readonly [TName in keyof TBlock]-?: boolean };

const USER_IMAGE_OMITTED = "(image omitted: model does not support images)";
const TOOL_IMAGE_OMITTED = "(tool image omitted: model does not support images)";

/** The message to send. Undefined for a failed or aborted response and for an unknown role, which must not be sent. */
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
  // Imported transcripts may have a plain string as content.
  const content: unknown = message.content;
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : message.content;
  return { ...message, content: withoutImages(parts, model, TOOL_IMAGE_OMITTED) };
}

/** Imported transcripts may lack content; treat it as empty. */
function withoutImages(
  content: readonly UserBlock[] | null | undefined,
  model: Model,
  placeholder: string,
): UserBlock[] {
  const parts: UserBlock[] = [];
  for (const part of content ?? []) {
    if (!part) continue;
    if (isReadable(part, model)) {
      parts.push(part);
      continue;
    }
    const last = parts.at(-1);
    if (last?.type !== "text" || last.text !== placeholder) parts.push({ type: "text", text: placeholder });
  }
  return parts;
}

function isReadable(part: UserBlock, model: Model): boolean {
  switch (part.type) {
    case "text":
      return true;
    case "image":
      return model.input.includes("image");
    default:
      throw unknownBlock(part);
  }
}

function replayAssistant(message: AssistantMessage, model: Model, foreignThinking: "text" | "drop"): AssistantMessage {
  const own = isSameModel(message, model);
  const given = Array.isArray(message.content) ? message.content : textContent(message.content);
  const content = given.flatMap((block): AssistantBlock[] => {
    if (!block) return [];
    switch (block.type) {
      case "text":
        return [own ? block : toPortable(block)];
      case "thinking":
        return replayThinking(block, own, foreignThinking);
      case "toolCall":
        return [replayCall(own ? block : toPortable(block))];
      default:
        throw unknownBlock(block);
    }
  });
  return { ...message, content };
}

/** Copies a block without its opaque data. */
function toPortable<TBlock extends PortableBlock>(block: TBlock): TBlock {
  const opaque = Object.entries(PORTABLE[block.type]).flatMap(([name, portable]) => (portable ? [] : [name]));
  if (!opaque.some((name) => name in block)) return block;
  const entries = Object.entries(block).filter(([name]) => !opaque.includes(name));
  // All opaque fields are optional.
  return Object.fromEntries(entries) as TBlock;
}

/** Whether the target model produced the message. */
export function isSameModel(message: AssistantMessage, model: Model): boolean {
  return message.provider === model.provider && message.api === model.api && message.model === model.id;
}

/** Imported transcripts may have a plain string as content, or none. */
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

/**
 * A tool call whose arguments did not parse is replayed without arguments. Its result tells the model why it failed.
 */
function replayCall(block: ToolCall): ToolCall {
  const { argumentsError, argumentsText: _text, ...call } = block;
  const usable = argumentsError === undefined && isRecord(call.arguments);
  return { ...call, arguments: usable ? toWellFormed(call.arguments) : {} };
}
