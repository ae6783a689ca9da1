/** A conversation as messages of the Mistral API. */

import { describeFile } from "../../handoff/portable-content.js";
import type { ToolCallIdRule } from "../../handoff/transform-messages.js";
import { unknownBlock } from "../../handoff/unknown-block.js";
import type { Context } from "../../types/context.js";
import type {
  AssistantMessage,
  Message,
  ThinkingContent,
  ToolCall,
  ToolResultMessage,
  UserBlock,
  UserMessage,
} from "../../types/message.js";
import { shortHash } from "../../utils/hash.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { isBlank, RESULTS_READ, resultAttachments, shownResultText, toDataUrl, userParts } from "../content.js";

export type WirePart =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: string }
  | { type: "thinking"; thinking: { type: "text"; text: string }[] };

export interface WireMessage {
  role: "system" | "user" | "assistant" | "tool";
  content?: string | WirePart[];
  [field: string]: unknown;
}

/** Mistral refuses ids that are not nine letters and digits (error 3280 of its API, 2026-11). */
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
  return message.role === "assistant" ? toAssistantMessage(message) : [toToolMessage(message)];
}

function toUserMessage(message: UserMessage): WireMessage[] {
  const parts = userParts(message.content);
  return parts.length === 0 ? [] : [{ role: "user", content: plainIfText(parts.map(toPart)) }];
}

function toPart(part: UserBlock): WirePart {
  if (part.type === "image") return { type: "image_url", image_url: toDataUrl(part) };
  return { type: "text", text: part.type === "file" ? describeFile(part) : part.text };
}

function toAssistantMessage(message: AssistantMessage): WireMessage[] {
  const parts: WirePart[] = [];
  const calls: ToolCall[] = [];
  for (const block of message.content) {
    switch (block.type) {
      case "text":
        if (!isBlank(block.text)) parts.push({ type: "text", text: sanitizeSurrogates(block.text) });
        break;
      case "thinking":
        if (!isBlank(block.thinking)) parts.push(toThinkingPart(block));
        break;
      case "toolCall":
        calls.push(block);
        break;
      case "serverTool":
      case "compaction":
        // The wire has no place for them.
        break;
      case "image":
      case "file":
        parts.push({ type: "text", text: describeFile(block) });
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

function toThinkingPart({ thinking }: ThinkingContent): WirePart {
  return { type: "thinking", thinking: [{ type: "text", text: sanitizeSurrogates(thinking) }] };
}

function toWireCall({ id, name, arguments: input }: ToolCall): object {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } };
}

function toToolMessage(message: ToolResultMessage): WireMessage {
  const images = resultAttachments(message.content);
  const shown = shownResultText(message.content);
  // The API has no field for a failed tool call.
  const parts: WirePart[] = [
    { type: "text", text: message.isError ? `[tool error] ${shown}` : shown },
    ...images.map(toPart),
  ];
  return { role: "tool", tool_call_id: message.toolCallId, name: message.toolName, content: plainIfText(parts) };
}

/** A single text is sent as a string, which every model of the API accepts. */
function plainIfText(parts: WirePart[]): string | WirePart[] {
  const only = parts.length === 1 ? parts[0] : undefined;
  return only?.type === "text" ? only.text : parts;
}
