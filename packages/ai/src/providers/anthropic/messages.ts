/** A conversation as messages of the Anthropic Messages API. */
import type { AnthropicFlags } from "../../catalogue/compat/index.js";
import { ConfigError } from "../../errors.js";
import {
  describeFile,
  EARLIER_CONVERSATION,
  inputKindOf,
  readWireItems,
  type ToolCallIdRule,
  unknownBlock,
  type WireItem,
} from "../../request/handoff/index.js";
import type {
  AssistantBlock,
  AssistantMessage,
  Citation,
  FileContent,
  Message,
  TextContent,
  ThinkingContent,
  ToolCall,
  ToolResultMessage,
  UserBlock,
} from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { isText, tryParseJson } from "../../utils/read-text.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { toWellFormed } from "../../wire/json/index.js";
import { type CacheControl, toCacheControl } from "../cache-marks.js";
import {
  type Attachment,
  cacheOf,
  isBlank,
  resultAttachments,
  resultText,
  shownResultText,
  userParts,
} from "../content.js";
import { isResultType, isUseType } from "./own-blocks.js";

export interface WireBlock {
  type: string;
  cache_control?: CacheControl;
  [field: string]: unknown;
}

export interface WireMessage {
  role: "user" | "assistant";
  content: WireBlock[];
}

/** Tool use ids: letters, digits, `_` and `-`, at most 64 (Anthropic API reference, Messages, 2026-11). */
export const ANTHROPIC_CALL_IDS: ToolCallIdRule = {
  normalize: (id) => id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64),
  maxLength: 64,
};

/** What a server accepts as thinking without a signature. */
export type SignatureRules = Pick<AnthropicFlags, "allowEmptySignature" | "signsThinking">;

export function toWireMessages(messages: readonly Message[], rules: SignatureRules): WireMessage[] {
  const wire: WireMessage[] = [];
  let results: ToolResultMessage[] = [];
  /** By the id of the tool call. Ids are unique in a request. */
  const toolsets = new Map<string, string>();
  for (const message of messages) {
    if (message.role === "toolResult") {
      results.push(message);
      continue;
    }
    pushResults(wire, results, toolsets);
    results = [];
    if (message.role === "user") wire.push({ role: "user", content: userParts(message.content).map(toUserBlock) });
    else {
      pushResponse(wire, message, rules);
      for (const block of message.content)
        if (block.type === "toolCall" && block.namespace !== undefined) toolsets.set(block.id, block.namespace);
    }
  }
  pushResults(wire, results, toolsets);
  const sendable = settleServerTools(wire)
    .map((message) => withoutLastThinking(message, rules))
    .filter(({ content }) => content.length > 0);
  // The first message must be the user's (Anthropic API reference, Messages, 2026-11).
  if (sendable[0]?.role === "assistant") {
    sendable.unshift({ role: "user", content: [{ type: "text", text: EARLIER_CONVERSATION }] });
  }
  return sendable;
}

/** A response that continues after a pause joins the message before it, so that each result follows its use. */
function pushResponse(wire: WireMessage[], message: AssistantMessage, rules: SignatureRules): void {
  const content: WireBlock[] = [];
  for (const block of message.content) content.push(...toAssistantBlock(block, rules));
  const last = wire.at(-1);
  if (last?.role === "assistant") last.content.push(...content);
  else wire.push({ role: "assistant", content });
}

/**
 * The API rejects a message that ends with thinking, which a truncated response can do. Servers that sign no thinking
 * accept it.
 */
function withoutLastThinking(message: WireMessage, { signsThinking }: SignatureRules): WireMessage {
  const { role, content } = message;
  const isRejected = (block: WireBlock | undefined) =>
    isThinking(block) && (signsThinking || block?.["signature"] !== "");
  if (!isRejected(content.at(-1))) return message;
  return { role, content: content.slice(0, content.findLastIndex((block) => !isRejected(block)) + 1) };
}

/**
 * Whether the request continues a tool loop that began without thinking. Thinking must then stay off until the turn
 * ends: "When `thinking` is enabled, a final `assistant` message must start with a thinking block".
 */
export function isTurnWithoutThinking(messages: readonly WireMessage[]): boolean {
  let first: WireBlock | undefined;
  let underWay = false;
  for (const [position, message] of messages.entries()) {
    if (message.role === "assistant") {
      // A compaction replaces everything before it.
      if (!underWay) first = message.content.find(({ type }) => type !== "compaction");
      underWay = true;
    } else if (messages[position - 1]?.role === "assistant") {
      // The server expects a user message after tool results in the same message as the results.
      underWay = holdsResults(message);
    }
  }
  return underWay && !isThinking(first);
}

function holdsResults(message: WireMessage): boolean {
  return message.content.some((block) => block.type === "tool_result");
}

function isThinking(block: WireBlock | undefined): boolean {
  return block?.type === "thinking" || block?.type === "redacted_thinking";
}

function toUserBlock(part: UserBlock): WireBlock {
  const block = part.type === "text" ? { type: "text", text: part.text } : toAttachmentBlock(part);
  return part.cache ? { ...block, cache_control: toCacheControl(part.cache === "long") } : block;
}

function toAssistantBlock(block: AssistantBlock, rules: SignatureRules): WireBlock[] {
  switch (block.type) {
    case "text":
      return toTextBlock(block);
    case "thinking":
      return toThinkingBlock(block, rules);
    case "toolCall":
      return [toToolUse(block)];
    case "serverTool":
    case "compaction":
      return toOwnBlocks(block.signature);
    case "image":
    case "file":
      return block.signature === undefined
        ? [{ type: "text", text: describeFile(block) }]
        : toOwnBlocks(block.signature);
    default:
      throw unknownBlock(block);
  }
}

/** The server's own blocks, unchanged. */
function toOwnBlocks(signature: string | undefined): WireBlock[] {
  return readWireItems(signature).map((item) => ({ ...item, type: String(item["type"]) }));
}

function toTextBlock({ text, citations }: TextContent): WireBlock[] {
  if (isBlank(text)) return [];
  const wireCitations = toWireCitations(citations);
  const block = { type: "text", text: sanitizeSurrogates(text) };
  return [wireCitations.length > 0 ? { ...block, citations: wireCitations } : block];
}

/** The citations as the server sent them. Citations that an application wrote have no wire form and are left out. */
export function toWireCitations(citations: readonly Citation[] | undefined): WireItem[] {
  if (!Array.isArray(citations)) return [];
  return citations.flatMap((citation) => {
    const wire = isText(citation?.signature) ? tryParseJson(citation.signature) : undefined;
    if (!isRecord(wire) || !isText(wire["type"])) return [];
    // Requests do not accept `file_id`.
    const { file_id: _, ...fields } = wire;
    return [toWellFormed(fields)];
  });
}

function toToolUse({ id, name, arguments: input = {}, caller, namespace }: ToolCall): WireBlock {
  const block: WireBlock = { type: "tool_use", id, name, input };
  if (caller) block["caller"] = caller;
  if (namespace !== undefined) block["toolset_name"] = namespace;
  return block;
}

function toThinkingBlock(block: ThinkingContent, rules: SignatureRules): WireBlock[] {
  if (block.redacted)
    return block.thinkingSignature ? [{ type: "redacted_thinking", data: block.thinkingSignature }] : [];
  const thinking = sanitizeSurrogates(block.thinking);
  // A signature is valid for the exact text only.
  if (block.thinkingSignature && thinking === block.thinking) {
    return [{ type: "thinking", thinking, signature: block.thinkingSignature }];
  }
  if (isBlank(thinking)) return [];
  const isUnsigned = block.thinkingSignature === "" && !rules.signsThinking;
  return [
    rules.allowEmptySignature || isUnsigned
      ? { type: "thinking", thinking, signature: "" }
      : { type: "text", text: thinking },
  ];
}

/** All results of one turn go into one message, before anything else. */
function pushResults(
  wire: WireMessage[],
  results: readonly ToolResultMessage[],
  toolsets: ReadonlyMap<string, string>,
): void {
  if (results.length === 0) return;
  const blocks: WireBlock[] = [];
  const following: WireBlock[] = [];
  for (const result of results) {
    const attachments = splitAttachments(result);
    const block = toResultBlock(result, attachments);
    const toolset = toolsets.get(result.toolCallId);
    if (toolset !== undefined) block["toolset_name"] = toolset;
    blocks.push(block);
    following.push(...attachments.beside);
  }
  wire.push({ role: "user", content: [...blocks, ...following] });
}

/** The blocks of a result that are not text: those inside the result, and those that follow all results. */
interface Attachments {
  inside: WireBlock[];
  beside: WireBlock[];
}

/** A failed result accepts only text, and no result accepts a sandbox file. */
function splitAttachments({ content, isError }: ToolResultMessage): Attachments {
  const blocks = resultAttachments(content).map(toAttachmentBlock);
  if (isError) return { inside: [], beside: blocks };
  const goesBeside = ({ type }: WireBlock): boolean => type === "container_upload";
  return { inside: blocks.filter((block) => !goesBeside(block)), beside: blocks.filter(goesBeside) };
}

function toResultBlock(
  { toolCallId, content, isError }: ToolResultMessage,
  { inside, beside }: Attachments,
): WireBlock {
  const mayBeEmpty = !isError && inside.length === 0 && beside.length === 0;
  const text = mayBeEmpty ? resultText(content) : shownResultText(content);
  const cache = cacheOf(content);
  const block: WireBlock = {
    type: "tool_result",
    tool_use_id: toolCallId,
    content: inside.length === 0 ? text : [{ type: "text", text }, ...inside],
    is_error: isError,
  };
  if (cache) block.cache_control = toCacheControl(cache === "long");
  return block;
}

// Images and files as blocks of the Anthropic Messages API (platform.claude.com, "PDF support" and "Files API", 2026-11).

const PDF = "application/pdf";

/**
 * Returns an image, a document, or an upload to the server's sandbox. A file of another type becomes a text note.
 *
 * @throws {@link ConfigError} for a file without usable content, such as a URL that Anthropic does not load
 */
export function toAttachmentBlock(part: Attachment): WireBlock {
  if (part.type === "image") return imageBlock({ type: "base64", media_type: part.mimeType, data: part.data });
  const type = part.mimeType.toLowerCase().split(";")[0]?.trim() ?? "";
  const kind = inputKindOf(type);
  if (kind === "image") return imageBlock(sourceOf(part, type));
  if (kind === "text") return textBlock(part, type);
  if (type === PDF) return documentBlock(part, sourceOf(part, type));
  return part.fileId === undefined ? noteOf(part) : uploadBlock(part.fileId);
}

function textBlock(part: FileContent, type: string): WireBlock {
  const { data, fileId } = part;
  if (data !== undefined) {
    const text = sanitizeSurrogates(decodeText(part, data));
    // The api rejects an empty document.
    if (isBlank(text)) return noteOf(part);
    return documentBlock(part, { type: "text", media_type: "text/plain", data: text });
  }
  // Among the text files of the Files API, only plain text can be sent as a document.
  if (fileId !== undefined)
    return type === "text/plain" ? documentBlock(part, sourceOf(part, type)) : uploadBlock(fileId);
  throw new ConfigError(`Anthropic loads images and PDF files by URL, but not ${part.mimeType}: pass its data.`);
}

function imageBlock(source: object): WireBlock {
  return { type: "image", source };
}

function documentBlock({ name }: FileContent, source: object): WireBlock {
  return { type: "document", source, ...(name ? { title: sanitizeSurrogates(name) } : {}) };
}

function uploadBlock(fileId: string): WireBlock {
  return { type: "container_upload", file_id: fileId };
}

function noteOf(part: FileContent): WireBlock {
  return { type: "text", text: describeFile(part) };
}

function sourceOf({ data, fileId, url, mimeType }: FileContent, type: string): object {
  if (data !== undefined) return { type: "base64", media_type: type, data };
  if (fileId !== undefined) return { type: "file", file_id: fileId };
  if (url !== undefined) return { type: "url", url };
  throw new ConfigError(`A file of type ${mimeType} has neither data nor a url nor a fileId.`);
}

function decodeText({ mimeType }: FileContent, data: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)));
  } catch {
    throw new ConfigError(`The data of a file of type ${mimeType} is not base64.`);
  }
}

// Removes the server tool blocks that a request must not contain. The server rejects a use without its result unless
// the tool is still running: at the end of the last response, or while its code waits for the application's tools. In
// that case only results of those tools may follow (platform.claude.com, "Server tools" and "Programmatic tool
// calling", 2026-11).

/** Removes results without a use, finished uses without a result, and the tool calls that those uses made. */
export function settleServerTools(wire: readonly WireMessage[]): WireMessage[] {
  if (!wire.some(({ content }) => content.some(isServerBlock))) return [...wire];
  const runningFrom = startOfRunningTurn(wire);
  const selection = new Selection(resultIds(wire));
  return wire.map(({ role, content }, index) => {
    const kept = content.flatMap((block) => selection.keep(block, index >= runningFrom));
    return { role, content: role === "user" ? content : kept };
  });
}

/** Decides for each block, in the order of the conversation, whether it stays. */
class Selection {
  readonly #finished: ReadonlySet<unknown>;
  readonly #kept = new Set<unknown>();
  readonly #dropped = new Set<unknown>();

  /** @param finished the ids of the uses with a result */
  constructor(finished: ReadonlySet<unknown>) {
    this.#finished = finished;
  }

  keep(block: WireBlock, mayRun: boolean): WireBlock[] {
    const caller = callerOf(block);
    const lostCaller = caller !== undefined && this.#dropped.has(caller);
    if (isResultType(block.type)) return this.#kept.has(block["tool_use_id"]) ? [block] : [];
    if (!isUseType(block.type)) return [lostCaller ? withoutCaller(block) : block];
    const { id } = block;
    const stays = !lostCaller && (mayRun || this.#finished.has(id));
    (stays ? this.#kept : this.#dropped).add(id);
    return stays ? [block] : [];
  }
}

function isServerBlock({ type }: WireBlock): boolean {
  return isUseType(type) || isResultType(type);
}

function resultIds(wire: readonly WireMessage[]): Set<unknown> {
  const blocks = wire.flatMap(({ role, content }) => (role === "assistant" ? content : []));
  return new Set(blocks.flatMap((block) => (isResultType(block.type) ? [block["tool_use_id"]] : [])));
}

/** The index of the first message after the last user input other than tool results. From there on, tools may run. */
function startOfRunningTurn(wire: readonly WireMessage[]): number {
  const hasOther = ({ content }: WireMessage): boolean => content.some(({ type }) => type !== "tool_result");
  return 1 + wire.findLastIndex((message) => message.role === "user" && hasOther(message));
}

/** The id of the server tool use whose code made the call. */
function callerOf({ caller }: WireBlock): unknown {
  return isRecord(caller) ? caller["tool_id"] : undefined;
}

function withoutCaller({ caller: _, ...block }: WireBlock): WireBlock {
  return block;
}
