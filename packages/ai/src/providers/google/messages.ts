/** A conversation as contents of Google's generateContent. */

import type { GoogleFlags } from "../../catalogue/compat/index.js";
import { EARLIER_CONVERSATION, readWireItems, type ToolCallIdRule, unknownBlock } from "../../request/index.js";
import type {
  AssistantMessage,
  Message,
  SystemMessage,
  ToolCall,
  ToolResultMessage,
  UserBlock,
} from "../../types/message.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { isBlank, resultAttachments, resultText, shownResultText, userParts } from "../content.js";
import { toMediaPart } from "./media.js";
import { isBase64, splitSignedText } from "./signed-spans.js";

export type WirePart = Record<string, unknown>;

export interface WireContent {
  role: "user" | "model";
  parts: WirePart[];
}

/** Tool call ids, which models of other vendors on Google's platform require. */
export const GOOGLE_CALL_IDS: ToolCallIdRule = {
  normalize: (id) => id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64),
  maxLength: 64,
};

/** Stands in for the signature that another model's tool call lacks (ai.google.dev, "Thought signatures", 2026-11). */
const NO_SIGNATURE = "skip_thought_signature_validator";

export function toWireContents(messages: readonly Message[], flags: GoogleFlags): WireContent[] {
  const contents: WireContent[] = [];
  let run: ToolResultMessage[] = [];
  // The api takes changes at the beginning only.
  for (const message of messages.filter(isTurn)) {
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

function isTurn(message: Message): message is Exclude<Message, SystemMessage> {
  return message.role !== "system";
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
  return part.type === "text" ? { text: part.text } : toMediaPart(part);
}

function toModelParts(message: AssistantMessage, flags: GoogleFlags): WirePart[] {
  return message.content.flatMap((block): WirePart[] => {
    switch (block.type) {
      case "text":
        return toTextParts(block.text, block.textSignature);
      case "thinking":
        return toTextParts(block.thinking, block.thinkingSignature).map((part) => ({ thought: true, ...part }));
      case "toolCall":
        return [toCallPart(block, flags)];
      case "serverTool":
      case "compaction":
        return readWireItems(block.signature);
      case "image":
      case "file":
        return [toMediaPart(block)];
      default:
        throw unknownBlock(block);
    }
  });
}

/** Only a signature makes an empty part worth sending. */
function toTextParts(text: string, signature: string | undefined): WirePart[] {
  const pieces = splitSignedText(text ?? "", signature);
  return pieces.flatMap(({ text: piece, signature: own }) => {
    if (own === undefined && isBlank(piece)) return [];
    return [{ text: sanitizeSurrogates(piece), ...(own === undefined ? {} : { thoughtSignature: own }) }];
  });
}

function toCallPart(call: ToolCall, flags: GoogleFlags): WirePart {
  const id = flags.sendsCallIds ? { id: call.id } : {};
  const { thoughtSignature } = call;
  const signature = thoughtSignature !== undefined && isBase64(thoughtSignature) ? { thoughtSignature } : {};
  return { functionCall: { ...id, name: call.name, args: call.arguments }, ...signature };
}

/** All results of one turn go into one content; images that do not fit there follow in another. */
function toResultTurns(results: readonly ToolResultMessage[], flags: GoogleFlags): WireContent[] {
  if (results.length === 0) return [];
  const turns: WireContent[] = [{ role: "user", parts: results.map((result) => toResponsePart(result, flags)) }];
  const images = flags.imagesInFunctionResponse ? [] : results.flatMap((result) => resultAttachments(result.content));
  if (images.length > 0) {
    turns.push({ role: "user", parts: [{ text: "Tool result image:" }, ...images.map(toMediaPart)] });
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
    ...(flags.imagesInFunctionResponse && images.length > 0 ? { parts: images.map(toMediaPart) } : {}),
  };
  return { functionResponse };
}
