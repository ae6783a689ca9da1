/** A conversation as input items of the Responses API. */
import type { ResponsesFlags } from "../../catalogue/compat/index.js";
import { describeFile, readWireItems, type ToolCallIdRule, unknownBlock } from "../../request/index.js";
import type {
  AssistantImage,
  AssistantMessage,
  Citation,
  FileContent,
  Message,
  SystemMessage,
  TextContent,
  ToolCall,
  ToolResultMessage,
  UserBlock,
} from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { shortHash } from "../../utils/hash.js";
import { isRecord } from "../../utils/is-object.js";
import { needsResult, type PendingCall } from "../../utils/message-facts.js";
import { tryParseJson } from "../../utils/read-text.js";
import { sanitizeSurrogates, toWellFormed } from "../../utils/sanitize-unicode.js";
import { cacheOf, isBlank, resultAttachments, resultText, shownResultText, userParts } from "../content.js";
import { imageItem } from "./generated-image.js";
import { toInputPart } from "./input-parts.js";
import { MAX_ID_LENGTH, withOwnIds } from "./item-ids.js";
import { toOutputItem } from "./output-item.js";
import { requestForm } from "./wire-items.js";

export type WireInput = Record<string, unknown> & { type?: string };

/**
 * Tool call ids of this api are pairs, `call|item`. A tool call of another model keeps the first part. The server does
 * not know its item, so the item gets a new id, or none if the server would detect a foreign one.
 */
export function responsesCallIds(model: Model, flags: ResponsesFlags): ToolCallIdRule {
  return {
    normalize: (id, message) => {
      const [call = "", item] = splitCallId(id);
      if (!flags.pairedCallIds) return cleanId(id);
      const sameServer = message.provider === model.provider && message.api === model.api;
      return item === undefined || sameServer ? cleanId(call) : `${cleanId(call)}|fc_${shortHash(item)}`;
    },
    maxLength: MAX_ID_LENGTH,
  };
}

export interface InputFlags extends ResponsesFlags {
  /** The items of a change in the list. */
  changeItems: (message: SystemMessage) => WireInput[];
}

export function toWireInput(messages: readonly Message[], flags: InputFlags): WireInput[] {
  let pending = new Map<string, PendingCall>();
  const items = messages.flatMap((message, position): WireInput[] => {
    if (message.role === "user") return fromUser(message.content, flags);
    if (message.role === "system") return flags.changeItems(message);
    if (message.role === "toolResult") return fromResult(message, pending.get(message.toolCallId), flags);
    pending = new Map(message.content.filter(needsResult).map((call) => [call.id, call]));
    return fromAssistant(message, position, flags);
  });
  return withOwnIds(items);
}

function fromUser(content: Parameters<typeof userParts>[0], flags: ResponsesFlags): WireInput[] {
  const parts = userParts(content).map((part) => toInputPart(part, flags));
  return parts.length === 0 ? [] : [{ role: "user", content: parts }];
}

function fromAssistant(message: AssistantMessage, position: number, flags: ResponsesFlags): WireInput[] {
  const items: WireInput[] = [];
  let texts = 0;
  for (const block of message.content) {
    switch (block.type) {
      case "text":
        if (isBlank(block.text)) break;
        items.push(fromText(block, `msg_${position}${texts++ === 0 ? "" : `_${texts}`}`));
        break;
      case "thinking":
        items.push(...parseReasoning(block.thinkingSignature));
        break;
      case "toolCall":
        items.push(fromCall(block, flags));
        break;
      case "serverTool":
      case "compaction":
        items.push(...readWireItems(block.signature).map(requestForm));
        break;
      case "image":
      case "file":
        items.push(fromFile(block, `msg_${position}_${++texts}`));
        break;
      default:
        throw unknownBlock(block);
    }
  }
  // OpenAI rejects trailing reasoning, which a response truncated while thinking has.
  while (isOpaqueReasoning(items.at(-1))) items.pop();
  return items;
}

/** Reasoning whose text the server hides. Servers that show it accept it without an answer. */
function isOpaqueReasoning(item: WireInput | undefined): boolean {
  if (item?.type !== "reasoning") return false;
  const { content, encrypted_content: encrypted } = item;
  return Boolean(encrypted) || !Array.isArray(content) || content.length === 0;
}

function fromText(block: TextContent, fallbackId: string): WireInput {
  const { id, phase } = parseTextSignature(block.textSignature);
  return {
    type: "message",
    role: "assistant",
    status: "completed",
    id: id === undefined ? fallbackId : id.length > MAX_ID_LENGTH ? `msg_${shortHash(id)}` : id,
    content: [
      { type: "output_text", text: sanitizeSurrogates(block.text), annotations: annotationsOf(block.citations) },
    ],
    ...(phase === undefined ? {} : { phase }),
  };
}

/** Sends back an image that the model generated; any other image or file becomes a text note. */
function fromFile(block: AssistantImage | FileContent, fallbackId: string): WireInput {
  const own = block.type === "image" ? imageItem(block) : undefined;
  return own ? requestForm(own) : fromText({ type: "text", text: describeFile(block) }, fallbackId);
}

/** The annotations as the server sent them. Citations from another api have none. */
function annotationsOf(citations: readonly Citation[] = []): WireInput[] {
  return citations.flatMap(({ signature }) => {
    const annotation = parseObject(signature);
    return annotation ? [toWellFormed(annotation)] : [];
  });
}

function fromCall({ id, name, arguments: input, namespace, caller }: ToolCall, flags: ResponsesFlags): WireInput {
  const [call, item] = splitCallId(id);
  // Some servers create item ids that other servers reject; the item id is optional.
  const usable = item && item.length <= MAX_ID_LENGTH && (!flags.pairedCallIds || item.startsWith("fc"));
  const known = usable ? { id: item } : {};
  return {
    type: "function_call",
    ...known,
    call_id: call,
    name,
    arguments: JSON.stringify(input),
    ...(namespace === undefined ? {} : { namespace }),
    ...(caller === undefined ? {} : { caller: toWellFormed(caller) }),
  };
}

/** @param call the tool call that the result belongs to */
function fromResult(result: ToolResultMessage, call: PendingCall | undefined, flags: ResponsesFlags): WireInput[] {
  if (call?.type !== "serverTool") return [fromCallResult(result, call?.caller, flags)];
  const item = readWireItems(call.signature).at(-1);
  return item ? [toOutputItem(item, result)] : [];
}

function fromCallResult(
  { toolCallId, content }: ToolResultMessage,
  caller: ToolCall["caller"],
  flags: ResponsesFlags,
): WireInput {
  const images = resultAttachments(content);
  const cache = flags.supportsCacheBreakpoints ? cacheOf(content) : undefined;
  const text = cache && images.length === 0 ? shownResultText(content) : resultText(content);
  const blocks: UserBlock[] = [...(isBlank(text) ? [] : [{ type: "text" as const, text }]), ...images];
  // The texts of a result form one part, so the mark goes to its end.
  const parts = blocks.map(({ cache: _own, ...block }, index) => {
    return toInputPart(cache && index === blocks.length - 1 ? { ...block, cache } : block, flags);
  });
  const output = images.length > 0 || cache ? parts : shownResultText(content);
  const from = caller === undefined ? {} : { caller: toWellFormed(caller) };
  return { type: "function_call_output", call_id: splitCallId(toolCallId)[0], output, ...from };
}

/** A signature that is not a reasoning item comes from another api; the server cannot read an empty item. */
function parseReasoning(signature: string | undefined): WireInput[] {
  const item = parseObject(signature);
  if (item?.["type"] !== "reasoning") return [];
  const { encrypted_content: encrypted, summary, content } = item;
  const empty = !encrypted && ![summary, content].some((parts) => Array.isArray(parts) && parts.length > 0);
  return empty ? [] : [{ ...toWellFormed(item), type: "reasoning" }];
}

/** Reads a signature: JSON with a phase or, in an older form, the bare id of the item. */
function parseTextSignature(signature: string | undefined): { id?: string; phase?: string } {
  if (!signature?.startsWith("{")) return signature ? { id: signature } : {};
  const { id, phase } = parseObject(signature) ?? {};
  return {
    ...(typeof id === "string" && id !== "" ? { id } : {}),
    ...(phase === "commentary" || phase === "final_answer" ? { phase } : {}),
  };
}

function parseObject(text: string | undefined): Record<string, unknown> | undefined {
  const value = tryParseJson(text ?? "");
  return isRecord(value) ? value : undefined;
}

function splitCallId(id: string): [call: string, item: string | undefined] {
  const bar = id.indexOf("|");
  return bar === -1 ? [id, undefined] : [id.slice(0, bar), id.slice(bar + 1)];
}

/** Keeps the characters that the API accepts; a long id stays distinct from others with the same prefix. */
function cleanId(id: string): string {
  const clean = id.replace(/[^a-zA-Z0-9_-]/g, "_");
  const short = clean.length > MAX_ID_LENGTH ? `${clean.slice(0, MAX_ID_LENGTH - 15)}_${shortHash(id)}` : clean;
  return short.replace(/_{1,64}$/, "") || shortHash(id);
}
