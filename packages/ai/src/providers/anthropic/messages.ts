/** A conversation as messages of the Anthropic Messages API. */
import type { AnthropicFlags } from "../../catalogue/compat/index.js";
import type { ConversationShape } from "../../driver/index.js";
import {
  addsFinds,
  describeFile,
  EARLIER_CONVERSATION,
  type ToolCallIdRule,
  textOfSystem,
  unknownBlock,
} from "../../request/index.js";
import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  SystemMessage,
  TextContent,
  ThinkingContent,
  ToolCall,
  ToolResultMessage,
  UserBlock,
} from "../../types/message.js";
import type { ModelThinkingLevel } from "../../types/model.js";
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { toCacheControl } from "../cache-marks.js";
import { cacheOf, isBlank, resultAttachments, resultText, shownResultText, userParts } from "../content.js";
import { toAttachmentBlock } from "./attachments.js";
import { toOwnBlocks, toWireCitations } from "./own-request.js";
import { settleServerTools } from "./settle-server-tools.js";
import type { WireBlock, WireMessage } from "./wire-message.js";

/** Tool use ids: letters, digits, `_` and `-`, at most 64 (Anthropic API reference, Messages, 2026-11). */
export const ANTHROPIC_CALL_IDS: ToolCallIdRule = {
  normalize: (id) => id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64),
  maxLength: 64,
};

/** How a server accepts thinking without a signature. */
export interface SignatureRules extends Pick<AnthropicFlags, "allowEmptySignature" | "signsThinking"> {
  /** The word for a level in the list; undefined if it needs none. */
  effortOf?: (level: ModelThinkingLevel) => string | undefined;
}

export function toWireMessages(messages: Message[], rules: SignatureRules): WireMessage[] {
  const wire: WireMessage[] = [];
  let results: ToolResultMessage[] = [];
  /** By the id of the tool call. Ids are unique in a request. */
  const toolsets = new Map<string, string>();
  let references = 0;
  for (const message of messages) {
    if (message.role === "toolResult") {
      results.push(message);
      continue;
    }
    pushResults(wire, results, toolsets);
    results = [];
    if (addsFinds(message)) referToTools(wire, message, references++);
    else if (message.role === "system") wire.push(...toChange(message, rules));
    else if (message.role === "user") wire.push({ role: "user", content: userParts(message.content).map(toUserBlock) });
    else {
      pushResponse(wire, message, rules);
      noteToolsets(toolsets, message);
    }
  }
  pushResults(wire, results, toolsets);
  return toSendable(settleServerTools(wire).map((message) => withoutLastThinking(message, rules)));
}

function noteToolsets(toolsets: Map<string, string>, { content }: AssistantMessage): void {
  for (const block of content)
    if (block.type === "toolCall" && block.namespace !== undefined) toolsets.set(block.id, block.namespace);
}

/**
 * platform.claude.com, "Mid-conversation system messages and tool changes" and "Per-message effort", 2026-11: the message of an
 * effort has no content.
 */
function toChange(message: SystemMessage, { effortOf }: SignatureRules): WireMessage[] {
  const text = textOfSystem(message);
  const effort = message.thinkingLevel && effortOf?.(message.thinkingLevel);
  const content = [
    ...(isBlank(text) ? [] : [{ type: "text", text: sanitizeSurrogates(text) }]),
    ...(message.toolsRemoved ?? []).map(({ name }) => ({
      type: "tool_removal",
      tool: { type: "tool_reference", name },
    })),
    ...(message.toolsAdded ?? []).map(({ name, description, parameters }) => {
      const definition = { name, description, input_schema: { ...parameters, type: "object" } };
      return { type: "tool_addition", tool: { type: "tool_definition", definition } };
    }),
  ];
  return [
    ...(content.length > 0 ? [{ role: "system" as const, content }] : []),
    ...(effort ? [{ role: "system" as const, content: [], output_config: { effort } }] : []),
  ];
}

/**
 * Adds a call to the last response, and its result: "a standard `tool_result` with `tool_reference` blocks" (platform.claude.com,
 * "Tool search tool", 2026-11), which holds nothing else (earendil-works/pi#6474). What was sent before stays as it was.
 */
function referToTools(wire: WireMessage[], { toolsAdded = [] }: SystemMessage, count: number): void {
  const at = wire.findLastIndex(({ role }) => role === "assistant");
  const response = wire[at];
  if (!response || toolsAdded.length === 0) return;
  const id = `pi_tool_load_${count}`;
  const query = toolsAdded.map(({ name }) => name).join(" ");
  response.content.push({ type: "tool_use", id, name: "search_tools", input: { query } });
  const content = toolsAdded.map(({ name }) => ({ type: "tool_reference", tool_name: name }));
  const result = { type: "tool_result", tool_use_id: id, content };
  const next = wire[at + 1];
  // All results come first.
  if (next) next.content.splice(next.content.findLastIndex(({ type }) => type === "tool_result") + 1, 0, result);
  else wire.push({ role: "user", content: [result] });
}

/** A change comes after a turn of the user and before one of the assistant, or last (the first of these pages). */
function placeAfterUsers(wire: readonly WireMessage[]): WireMessage[] {
  if (!wire.some(({ role }) => role === "system")) return [...wire];
  const placed: WireMessage[] = [];
  const waiting: WireMessage[] = [];
  for (const message of wire) {
    if (message.role === "system") {
      waiting.push(message);
      continue;
    }
    if (message.role === "assistant" && placed.at(-1)?.role === "user") placed.push(...waiting.splice(0));
    placed.push(message);
  }
  const end = placed.findLastIndex(({ role }) => role === "user") + 1;
  placed.splice(end, 0, ...waiting);
  return placed;
}

function toSendable(wire: readonly WireMessage[]): WireMessage[] {
  const sendable = placeAfterUsers(wire.filter(({ content, output_config: config }) => content.length > 0 || config));
  // The first message must be the user's (Anthropic API reference, Messages, 2026-11).
  if (sendable[0]?.role === "assistant") {
    sendable.unshift({ role: "user", content: [{ type: "text", text: EARLIER_CONVERSATION }] });
  }
  return withoutLastSpace(sendable);
}

/** "final assistant content cannot end with trailing whitespace" (aws/aws-sdk-net#4015, 2025-09). */
function withoutLastSpace(wire: WireMessage[]): WireMessage[] {
  const last = wire.at(-1);
  const end = last?.content.at(-1);
  if (last?.role !== "assistant" || end?.type !== "text" || typeof end.text !== "string") return wire;
  return [
    ...wire.slice(0, -1),
    { ...last, content: [...last.content.slice(0, -1), { ...end, text: end.text.trimEnd() }] },
  ];
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

export const ANTHROPIC_CONVERSATION: ConversationShape = {
  field: "messages",
  // Its entries are those of `toWireMessages`.
  roleOf: (message) => (holdsResults(message as unknown as WireMessage) ? "tool" : undefined),
  say: (role, text) => ({ role, content: [{ type: "text", text }] }),
};

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

function toTextBlock({ text, citations }: TextContent): WireBlock[] {
  if (isBlank(text)) return [];
  const wireCitations = citations === undefined ? [] : toWireCitations(citations);
  const block = { type: "text", text: sanitizeSurrogates(text) };
  return [wireCitations.length > 0 ? { ...block, citations: wireCitations } : block];
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
