/** A conversation as messages of the Mistral API. */
import {
  describeFile,
  inputKindOf,
  RESULTS_READ,
  readWireItems,
  type ToolCallIdRule,
  unknownBlock,
} from "../../request/index.js";
import type { Context } from "../../types/context.js";
import type {
  AssistantImage,
  AssistantMessage,
  CompactionContent,
  FileContent,
  Message,
  ServerToolContent,
  TextContent,
  ThinkingContent,
  ToolCall,
  ToolResultMessage,
  UserBlock,
  UserMessage,
} from "../../types/message.js";
import { isFileBlock } from "../../utils/file-blocks.js";
import { shortHash } from "../../utils/hash.js";
import { isRecord } from "../../utils/is-object.js";
import { tryParseJson } from "../../utils/read-text.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import {
  fileDataUrl,
  fileText,
  isBlank,
  resultAttachments,
  shownResultText,
  toDataUrl,
  userParts,
} from "../content.js";

export interface WireMessage {
  role: "system" | "user" | "assistant" | "tool";
  content?: string | WirePart[];
  [field: string]: unknown;
}

/** Mistral rejects tool call ids that are not nine letters and digits (error 3280 of its API, 2026-11). */
const ID_LENGTH = 9;

export const MISTRAL_CALL_IDS: ToolCallIdRule = {
  normalize: (id) => (/^[a-zA-Z0-9]{9}$/.test(id) ? id : shortHash(id).slice(0, ID_LENGTH)),
  maxLength: ID_LENGTH,
  always: true,
};

export function toWireMessages(context: Context, messages: readonly Message[]): WireMessage[] {
  const wire = bridgeResults(messages.flatMap(toWireMessage));
  if (context.systemPrompt) wire.unshift({ role: "system", content: sanitizeSurrogates(context.systemPrompt) });
  return wire;
}

/** The API rejects a user message directly after a tool result (its error 3230; mistral-common, validator.py, 2026-11). */
function bridgeResults(wire: readonly WireMessage[]): WireMessage[] {
  return wire.flatMap((message, position) => {
    const bridge = message.role === "user" && wire[position - 1]?.role === "tool";
    return bridge ? [{ role: "assistant", content: RESULTS_READ }, message] : [message];
  });
}

function toWireMessage(message: Message): WireMessage[] {
  if (message.role === "user") return toUserMessage(message);
  // Changes are placed at the beginning only.
  if (message.role === "system") return [];
  return message.role === "assistant" ? toAssistantMessage(message) : [toToolMessage(message)];
}

function toUserMessage(message: UserMessage): WireMessage[] {
  const parts = userParts(message.content);
  return parts.length === 0 ? [] : [{ role: "user", content: plainIfText(parts.map(toPart)) }];
}

function toAssistantMessage(message: AssistantMessage): WireMessage[] {
  const parts: WirePart[] = [];
  const calls: ToolCall[] = [];
  for (const block of message.content) {
    switch (block.type) {
      case "text":
        if (!isBlank(block.text)) parts.push(...toTextParts(block));
        break;
      case "thinking":
        if (!isBlank(block.thinking)) parts.push(toThinkingPart(block));
        break;
      case "toolCall":
        calls.push(block);
        break;
      case "serverTool":
      case "compaction":
      case "image":
      case "file":
        parts.push(...toOwnParts(block));
        break;
      default:
        throw unknownBlock(block);
    }
  }
  if (parts.length === 0 && calls.length === 0) return [];
  return [
    {
      role: "assistant",
      ...(parts.length > 0 ? { content: plainIfText(parts) } : {}),
      ...(calls.length > 0 ? { tool_calls: calls.map(toWireCall) } : {}),
    },
  ];
}

function toThinkingPart({ thinking, thinkingSignature }: ThinkingContent): WirePart {
  const signature = thinkingSignature ? { signature: thinkingSignature } : {};
  return { type: "thinking", thinking: [{ type: "text", text: sanitizeSurrogates(thinking) }], ...signature };
}

function toWireCall({ id, name, arguments: input }: ToolCall): object {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } };
}

function toToolMessage(message: ToolResultMessage): WireMessage {
  const images = resultAttachments(message.content);
  const shown = shownResultText(message.content);
  // The API has no field that marks a result as failed.
  const parts: WirePart[] = [
    { type: "text", text: message.isError ? `[tool error] ${shown}` : shown },
    ...images.map(toPart),
  ];
  return { role: "tool", tool_call_id: message.toolCallId, name: message.toolName, content: plainIfText(parts) };
}

/** A single text is sent as a string, which every model of the API accepts. */
function plainIfText(parts: WirePart[]): string | WirePart[] {
  const only = parts.length === 1 ? parts[0] : undefined;
  return only?.type === "text" && only.text !== undefined ? only.text : parts;
}

// Texts, images and files as parts of a message.

export interface WirePart {
  type: string;
  text?: string;
  [field: string]: unknown;
}

/** The part for a block of a user message or of a tool result. */
export function toPart(part: UserBlock): WirePart {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "image") return { type: "image_url", image_url: toDataUrl(part) };
  return toFilePart(part) ?? { type: "text", text: describeFile(part) };
}

/** docs.mistral.ai, "Document QnA" and "Audio", 2026-11. */
function toFilePart(file: FileContent): WirePart | undefined {
  const { data, url, fileId, name } = file;
  const kind = inputKindOf(file.mimeType);
  if (kind === "text" && data !== undefined) return { type: "text", text: fileText(file, data) };
  if (kind === "audio")
    return data === undefined && url === undefined ? undefined : { type: "input_audio", input_audio: data ?? url };
  if (kind === "video") return undefined;
  if (fileId !== undefined) return { type: "file", file_id: fileId };
  const address = data === undefined ? url : fileDataUrl(file, data);
  if (address === undefined) return undefined;
  if (kind === "image") return { type: "image_url", image_url: address };
  return { type: "document_url", document_url: address, ...(name === undefined ? {} : { document_name: name }) };
}

/** A text of the model, split where its references belong. */
export function toTextParts({ text, citations = [] }: TextContent): WirePart[] {
  const parts: WirePart[] = [];
  let from = 0;
  for (const { end, signature } of citations) {
    const reference = signature === undefined ? undefined : tryParseJson(signature);
    if (end === undefined || end < from || !isRecord(reference) || reference["type"] !== "reference") continue;
    if (end > from) parts.push({ type: "text", text: sanitizeSurrogates(text.slice(from, end)) });
    parts.push({ ...reference, type: "reference" });
    from = end;
  }
  if (from < text.length) parts.push({ type: "text", text: sanitizeSurrogates(text.slice(from)) });
  return parts;
}

/** The parts that the model itself sent. A hand-written file becomes a note. */
function toOwnParts(block: ServerToolContent | CompactionContent | AssistantImage | FileContent): WirePart[] {
  if (isFileBlock(block) && block.signature === undefined) return [{ type: "text", text: describeFile(block) }];
  return readWireItems(block.signature).flatMap((item): WirePart[] => {
    const { type } = item;
    return typeof type === "string" ? [{ ...item, type }] : [];
  });
}
