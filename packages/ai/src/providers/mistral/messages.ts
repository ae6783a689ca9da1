/** A conversation as messages of the Mistral API. */
import { RESULTS_READ, type ToolCallIdRule, unknownBlock } from "../../request/index.js";
import type { Context } from "../../types/context.js";
import type {
  AssistantMessage,
  Message,
  ThinkingContent,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "../../types/message.js";
import { shortHash } from "../../utils/hash.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { isBlank, resultAttachments, shownResultText, userParts } from "../content.js";
import { toOwnParts, toPart, toTextParts, type WirePart } from "./message-parts.js";

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
