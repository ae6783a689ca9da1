/** Decides which parts of a message the target model may see. */

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
} from "../../types/message.js";
import type { Model } from "../../types/model.js";
import type { ServerToolContent } from "../../types/provider-content.js";
import { isFailure } from "../../utils/is-failure.js";
import { isRecord } from "../../utils/is-object.js";
import { toWellFormed } from "../../wire/json/index.js";
import { takesFile } from "./input-kind.js";
import { describeFile, describeServerTool, listSources } from "./portable-content.js";
import { unknownBlock } from "./unknown-block.js";
import { inWireOrder } from "./wire-items.js";

/** The fields of each block type. `false` marks opaque data, which is sent only to the model that produced it. */
const PORTABLE: { readonly [TType in PortableBlock["type"]]: FieldsOf<Extract<PortableBlock, { type: TType }>> } = {
  text: { type: true, text: true, textSignature: false, citations: false, cache: true },
  toolCall: {
    type: true,
    id: true,
    name: true,
    arguments: true,
    argumentsError: true,
    argumentsText: true,
    thoughtSignature: false,
    namespace: false,
    caller: false,
  },
};

/** The blocks that another model may see. The others become text, see {@link toForeign}. */
type PortableBlock = TextContent | ToolCall;
type FieldsOf<TBlock> = { readonly [TName in keyof TBlock]-?: boolean };

/** The longest name of a file that is quoted, in characters. */
const MAX_NAME_LENGTH = 200;

/** The note that replaces an image or a file that the model does not accept. The model can tell the user what is missing. */
function noteOf(part: Exclude<UserBlock, TextContent>, prefix: "" | "tool "): string {
  if (part.type === "image") return `(${prefix}image omitted: model does not support images)`;
  const name = part.name ? ` ${part.name.slice(0, MAX_NAME_LENGTH)}` : "";
  return `(${prefix}file${name} omitted: model does not support ${part.mimeType})`;
}

/** The message to send. Undefined for a failed or aborted response and for an unknown role, which must not be sent. */
export function toReplayable(message: Message, model: Model, foreignThinking: "text" | "drop"): Message | undefined {
  if (message.role === "user") return replayUser(message, model);
  if (message.role === "toolResult") return replayResult(message, model);
  if (message.role !== "assistant" || isFailure(message.stopReason)) return undefined;
  return replayAssistant(message, model, foreignThinking);
}

function replayUser(message: UserMessage, model: Model): UserMessage {
  if (typeof message.content === "string") return message;
  return withContent(message, readable(message.content, model, ""));
}

function replayResult(message: ToolResultMessage, model: Model): ToolResultMessage {
  // Imported transcripts may have a plain string as content.
  const content: unknown = message.content;
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : message.content;
  return withContent(message, readable(parts, model, "tool "));
}

/** Imported transcripts may lack content; treat it as empty. */
function readable(content: readonly UserBlock[] | null | undefined, model: Model, prefix: "" | "tool "): UserBlock[] {
  const parts: UserBlock[] = [];
  for (const part of content ?? []) {
    if (!part) continue;
    if (part.type === "text" || isReadable(part, model)) {
      parts.push(part);
      continue;
    }
    const last = parts.at(-1);
    const note = noteOf(part, prefix);
    if (last?.type !== "text" || last.text !== note) parts.push({ type: "text", text: note });
  }
  return parts;
}

/** Whether the model accepts an image or a file. */
export function isReadable(part: Exclude<UserBlock, TextContent>, model: Model): boolean {
  switch (part.type) {
    case "image":
      return model.input.includes("image");
    case "file":
      return takesFile(model, part.mimeType);
    default:
      throw unknownBlock(part);
  }
}

function replayAssistant(message: AssistantMessage, model: Model, foreignThinking: "text" | "drop"): AssistantMessage {
  const given = Array.isArray(message.content) ? message.content : textContent(message.content);
  const content: AssistantBlock[] = [];
  const isOwn = isSameModel(message, model);
  const toSent = isOwn ? toOwn : toForeign;
  for (const block of isOwn ? inWireOrder(given) : given) {
    const sent = block && toSent(block, foreignThinking);
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

/** Converts a block for a model that did not produce it. Undefined if it must not be sent. */
function toForeign(block: AssistantBlock, foreignThinking: "text" | "drop"): AssistantBlock | undefined {
  switch (block.type) {
    case "text":
      return toPortable(block);
    case "thinking":
      return replayThinking(block, false, foreignThinking);
    case "toolCall":
      return replayCall(toPortable(block));
    case "serverTool":
      return toForeignTool(block);
    case "image":
    case "file":
      return { type: "text", text: describeFile(block) };
    case "compaction":
      return block.text ? { type: "text", text: `Summary of the conversation so far:\n${block.text}` } : undefined;
    default:
      throw unknownBlock(block);
  }
}

/** A tool that the application ran becomes a tool call, because it has a result. A provider-run tool becomes text. */
function toForeignTool(block: ServerToolContent): TextContent | ToolCall {
  if (block.status !== "waiting") return { type: "text", text: describeServerTool(block) };
  return replayCall({ type: "toolCall", id: block.id, name: block.name, arguments: block.input ?? {} });
}

/** The sources of all texts, as a separate text block at the end. */
function sourcesOf(content: readonly AssistantBlock[]): TextContent[] {
  const citations = content.flatMap((block) => (block?.type === "text" ? (block.citations ?? []) : []));
  const lines = listSources(citations);
  return lines.length === 0 ? [] : [{ type: "text", text: lines.join("\n") }];
}

/** Copies a block without its opaque data. */
function toPortable<TBlock extends PortableBlock>(block: TBlock): TBlock {
  const opaque = Object.entries(PORTABLE[block.type]).flatMap(([name, portable]) => (portable ? [] : [name]));
  if (!opaque.some((name) => name in block)) return block;
  const entries = Object.entries(block).filter(([name]) => !opaque.includes(name));
  // All opaque fields are optional.
  return Object.fromEntries(entries) as TBlock;
}

/** Imported transcripts may have a plain string as content, or none. */
function textContent(content: unknown): AssistantMessage["content"] {
  return typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : [];
}

function replayThinking(
  block: ThinkingContent,
  own: boolean,
  foreignThinking: "text" | "drop",
): ThinkingContent | TextContent | undefined {
  if (own && (block.redacted || block.thinkingSignature)) return block;
  if (block.redacted || !block.thinking || block.thinking.trim() === "") return undefined;
  if (own) return block;
  return foreignThinking === "text" ? { type: "text", text: block.thinking } : undefined;
}

/**
 * A tool call whose arguments did not parse is replayed without arguments. Its result tells the model why it failed.
 */
function replayCall(block: ToolCall): ToolCall {
  const { argumentsError, argumentsText, arguments: given } = block;
  const sent = argumentsError === undefined && isRecord(given) ? toWellFormed(given) : {};
  if (sent === given && argumentsText === undefined) return block;
  const { argumentsError: _error, argumentsText: _text, ...call } = block;
  return { ...call, arguments: sent };
}

/** Whether the target model produced the message. */
export function isSameModel(message: AssistantMessage, model: Pick<Model, "api" | "provider" | "id">): boolean {
  return message.provider === model.provider && message.api === model.api && message.model === model.id;
}
