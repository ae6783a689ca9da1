/** A conversation as contents of Google's generateContent. */
import type { GoogleFlags } from "../../compat/google.js";
import { describeFile } from "../../handoff/portable-content.js";
import type { ToolCallIdRule } from "../../handoff/transform-messages.js";
import { unknownBlock } from "../../handoff/unknown-block.js";
import { readWireItems } from "../../handoff/wire-items.js";
import type {
  AssistantMessage,
  ImageContent,
  Message,
  ThinkingContent,
  ToolCall,
  ToolResultMessage,
  UserBlock,
} from "../../types/message.js";
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

export type WirePart = Record<string, unknown>;

export interface WireContent {
  role: "user" | "model";
  parts: WirePart[];
}

/** Ids for the models of other makers that Google hosts, which need them. */
export const GOOGLE_CALL_IDS: ToolCallIdRule = {
  normalize: (id) => id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64),
  maxLength: 64,
};

/** Replaces the signature, which a tool call of another model lacks (ai.google.dev, "Thought signatures", 2026-11). */
const NO_SIGNATURE = "skip_thought_signature_validator";

export function toWireContents(messages: readonly Message[], flags: GoogleFlags): WireContent[] {
  const contents: WireContent[] = [];
  let run: ToolResultMessage[] = [];
  for (const message of messages) {
    if (message.role === "toolResult") {
      run.push(message);
      continue;
    }
    contents.push(...toResultTurns(run, flags));
    run = [];
    const parts = message.role === "user" ? userParts(message.content).map(toUserPart) : toModelParts(message, flags);
    if (parts.length > 0) pushContent(contents, { role: message.role === "user" ? "user" : "model", parts });
  }
  contents.push(...toResultTurns(run, flags));
  // A turn with function calls must follow a user turn.
  if (contents[0]?.role === "model") contents.unshift({ role: "user", parts: [{ text: EARLIER_CONVERSATION }] });
  if (flags.requiresCallSignature) for (const content of contents) signCalls(content);
  return contents;
}

/** Consecutive assistant messages form one turn. */
function pushContent(contents: WireContent[], content: WireContent): void {
  const last = contents.at(-1);
  if (last?.role === "model" && content.role === "model") last.parts.push(...content.parts);
  else contents.push(content);
}

/** The first tool call of a step carries the signature for all of them. */
function signCalls({ parts }: WireContent): void {
  const first = parts.find((part) => part["functionCall"] !== undefined);
  if (first) first["thoughtSignature"] ??= NO_SIGNATURE;
}

function toUserPart(part: UserBlock): WirePart {
  return part.type === "text" ? { text: part.text } : toAttachmentPart(part);
}

function toAttachmentPart(part: Attachment): WirePart {
  return part.type === "image" ? toImagePart(part) : { text: describeFile(part) };
}

function toImagePart(image: ImageContent): WirePart {
  return { inlineData: { mimeType: image.mimeType, data: image.data } };
}

function toModelParts(message: AssistantMessage, flags: GoogleFlags): WirePart[] {
  return message.content.flatMap((block): WirePart[] => {
    switch (block.type) {
      case "text":
        if (isBlank(block.text)) return [];
        return [{ text: sanitizeSurrogates(block.text), ...signature(block.textSignature) }];
      case "thinking":
        return toThinkingPart(block);
      case "toolCall":
        return [toCallPart(block, flags)];
      case "serverTool":
      case "compaction":
        return readWireItems(block.signature);
      case "image":
        return [{ ...toImagePart(block), ...signature(block.signature) }];
      case "file":
        return [{ text: describeFile(block) }];
      default:
        throw unknownBlock(block);
    }
  });
}

function toThinkingPart(block: ThinkingContent): WirePart[] {
  if (isBlank(block.thinking)) return [];
  return [{ thought: true, text: sanitizeSurrogates(block.thinking), ...signature(block.thinkingSignature) }];
}

function toCallPart(call: ToolCall, flags: GoogleFlags): WirePart {
  const id = flags.sendsCallIds ? { id: call.id } : {};
  return { functionCall: { ...id, name: call.name, args: call.arguments }, ...signature(call.thoughtSignature) };
}

/** The wire field is bytes: a value that is not base64 fails the whole request. */
function signature(value: string | undefined): WirePart {
  const valid = value !== undefined && value.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(value);
  return valid ? { thoughtSignature: value } : {};
}

/** All results of one turn go into one content; images that they cannot hold follow in another. */
function toResultTurns(results: readonly ToolResultMessage[], flags: GoogleFlags): WireContent[] {
  if (results.length === 0) return [];
  const turns: WireContent[] = [{ role: "user", parts: results.map((result) => toResponsePart(result, flags)) }];
  const images = flags.imagesInFunctionResponse ? [] : results.flatMap((result) => resultAttachments(result.content));
  if (images.length > 0) {
    turns.push({ role: "user", parts: [{ text: "Tool result image:" }, ...images.map(toAttachmentPart)] });
  }
  return turns;
}

function toResponsePart(result: ToolResultMessage, flags: GoogleFlags): WirePart {
  const images = resultAttachments(result.content);
  const output = images.length > 0 ? shownResultText(result.content) : resultText(result.content);
  const functionResponse = {
    ...(flags.sendsCallIds ? { id: result.toolCallId } : {}),
    name: result.toolName,
    response: result.isError ? { error: output } : { output },
    ...(flags.imagesInFunctionResponse && images.length > 0 ? { parts: images.map(toAttachmentPart) } : {}),
  };
  return { functionResponse };
}
