/** A conversation as messages of the Chat Completions API. */
import { type CompletionsFlags, thinkingFieldsOf } from "../../catalogue/compat/index.js";
import {
  EARLIER_CONVERSATION,
  RESULTS_READ,
  type ToolCallIdRule,
  textOfSystem,
  unknownBlock,
} from "../../request/index.js";
import type { Context } from "../../types/context.js";
import type {
  AssistantMessage,
  Message,
  TextContent,
  ThinkingContent,
  ToolCall,
  ToolResultMessage,
  UserBlock,
} from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { shortHash } from "../../utils/hash.js";
import { isRecord } from "../../utils/is-object.js";
import { sanitizeSurrogates, toWellFormed } from "../../utils/sanitize-unicode.js";
import { cacheOf, isBlank, resultAttachments, shownResultText, userParts } from "../content.js";
import { ownFieldsOf } from "../tool-call-tracker.js";
import { TRANSCRIPT } from "./media-reader.js";
import { addAudio, addOwnItems, type OwnFields } from "./own-items.js";
import { cacheMark, toPart, type WirePart } from "./parts.js";
import { allDetails, reasoningFieldOf } from "./reasoning-details.js";

export interface WireMessage {
  role: "system" | "developer" | "user" | "assistant" | "tool";
  content: string | WirePart[] | null;
  [field: string]: unknown;
}

/** OpenAI rejects longer ids (API reference, "Create chat completion", 2026-11), also when gateways forward them. */
const MAX_ID_LENGTH = 40;

/** Ids of the Responses API are pairs, of which the first part is the tool call's own (OpenAI API reference, 2026-11). */
const COMPLETIONS_CALL_IDS: ToolCallIdRule = {
  normalize: (id) => {
    const bar = id.indexOf("|");
    const own = bar === -1 ? id : id.slice(0, bar).replace(/[^a-zA-Z0-9_-]/g, "_");
    return own.slice(0, MAX_ID_LENGTH);
  },
  maxLength: MAX_ID_LENGTH,
  // LiteLLM writes Gemini's signature into the id (docs.litellm.ai, "Gemini: thought signatures", 2026-11).
  keeps: /__thought__/,
};

/** The ids that a host accepts. */
export function callIdsFor({ toolCallIds }: CompletionsFlags): ToolCallIdRule {
  if (!toolCallIds) return COMPLETIONS_CALL_IDS;
  const { pattern, maxLength } = toolCallIds;
  return { normalize: (id) => (pattern.test(id) ? id : shortHash(id).slice(0, maxLength)), maxLength, always: true };
}

export function toWireMessages(
  context: Context,
  messages: readonly Message[],
  model: Model,
  flags: CompletionsFlags,
): WireMessage[] {
  const wire: WireMessage[] = [];
  const knowsDeveloper = model.reasoning || flags.systemRole === "developer";
  const role = knowsDeveloper && flags.supportsDeveloperRole ? "developer" : "system";
  const instruct = (text: string): number => wire.push({ role, content: sanitizeSurrogates(text) });
  if (context.systemPrompt) instruct(context.systemPrompt);
  for (let position = 0; position < messages.length; position++) {
    const message = messages[position];
    if (message?.role === "user") pushUser(wire, message.content, flags);
    else if (message?.role === "system") instruct(textOfSystem(message));
    else if (message?.role === "assistant") pushAssistant(wire, message, model, flags);
    else if (message?.role === "toolResult") {
      const run = resultRun(messages, position);
      pushResults(wire, run, flags);
      position += run.length - 1;
    }
  }
  if (flags.requiresUserMessage) addUserMessage(wire, role);
  return wire;
}

/** After the prompt, if the user says nothing. A conversation without messages is the application's own affair. */
function addUserMessage(wire: WireMessage[], promptRole: WireMessage["role"]): void {
  const start = wire.findIndex(({ role }) => role !== promptRole);
  if (start < 0 || wire.some(({ role }) => role === "user")) return;
  wire.splice(start, 0, { role: "user", content: EARLIER_CONVERSATION });
}

function pushUser(wire: WireMessage[], content: string | UserBlock[], flags: CompletionsFlags): void {
  const parts = userParts(content);
  if (parts.length === 0) return;
  if (flags.requiresAssistantAfterToolResult && wire.at(-1)?.role === "tool") {
    wire.push({ role: "assistant", content: RESULTS_READ });
  }
  const only = parts.length === 1 ? parts[0] : undefined;
  const isText = only?.type === "text" && !(only.cache && flags.cacheMarks);
  wire.push({ role: "user", content: isText ? only.text : parts.map((part) => toPart(part, flags)) });
}

function pushAssistant(wire: WireMessage[], message: AssistantMessage, model: Model, flags: CompletionsFlags): void {
  const { said, thinking, calls, fields } = sortBlocks(message);
  const asText = flags.requiresThinkingAsText
    ? sanitizeSurrogates(thinking.map((block) => block.thinking).join("\n"))
    : "";
  // OpenAI accepts no content only beside tool calls and audio (API reference, "Create chat completion", 2026-11).
  const hasOther = calls.length > 0 || fields.audio !== undefined;
  const needsText = !hasOther || flags.requiresAssistantAfterToolResult || flags.requiresNonNullAssistantContent;
  const content = toContent(asText === "" ? said : [{ type: "text", text: asText }, ...said], needsText ? "" : null);
  const reasoning = flags.requiresThinkingAsText ? {} : replayThinking(thinking, model, flags);
  const isUnanswered = !content && calls.length === 0 && Object.keys(fields).length === 0;
  // A response that was cut off while thinking.
  const hasThought = flags.supportsThinkingOnlyMessages && Object.values(reasoning).some((text) => !isBlank(text));
  if (isUnanswered && !hasThought) return;

  const ofCalls = calls.flatMap((call) => parseDetails(call.thoughtSignature));
  const details = allDetails(thinking, ofCalls);
  wire.push({
    role: "assistant",
    content,
    ...reasoning,
    ...(calls.length > 0 ? { tool_calls: calls.map(toCall) } : {}),
    ...(details.length > 0 ? { reasoning_details: details } : {}),
    ...fields,
  });
}

/** One string if there is only text; a list of parts otherwise. */
function toContent(said: readonly (string | WirePart)[], empty: "" | null): WireMessage["content"] {
  const parts: WirePart[] = [];
  let text = "";
  const flush = (): void => {
    if (!isBlank(text)) parts.push({ type: "text", text: sanitizeSurrogates(text) });
    text = "";
  };
  for (const piece of said) {
    if (typeof piece === "string") {
      text += piece;
      continue;
    }
    flush();
    parts.push(piece);
  }
  if (parts.length === 0) return isBlank(text) ? empty : sanitizeSurrogates(text);
  flush();
  return parts;
}

interface SortedBlocks {
  /** Texts, and parts of other types. */
  said: (string | WirePart)[];
  thinking: ThinkingContent[];
  calls: ToolCall[];
  /** Further fields of the message, as the server sent them. */
  fields: OwnFields;
}

/** Sorts blocks by their type, because a message has one field for each. */
function sortBlocks({ content }: AssistantMessage): SortedBlocks {
  const sorted: SortedBlocks = { said: [], thinking: [], calls: [], fields: {} };
  const { said, thinking, calls, fields } = sorted;
  const hasAudio = addAudio(content, fields);
  for (const block of content) {
    switch (block.type) {
      case "text":
        if (!hasAudio || block.textSignature !== TRANSCRIPT) said.push(block.text);
        break;
      case "thinking":
        if (!isBlank(block.thinking) || block.thinkingSignature) thinking.push(block);
        break;
      case "toolCall":
        calls.push(block);
        break;
      case "serverTool":
      case "compaction":
      case "image":
      case "file":
        said.push(...addOwnItems(block, fields));
        break;
      default:
        throw unknownBlock(block);
    }
  }
  return sorted;
}

function toCall({ id, name, arguments: input, thoughtSignature }: ToolCall): object {
  const call = { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
  const own = ownFieldsOf(thoughtSignature);
  return own ? { ...call, ...toWellFormed(own) } : call;
}

/** Sends thinking back in its original field, which its signature names, unless the server takes another one. */
function replayThinking(
  thinking: readonly ThinkingContent[],
  model: Model,
  flags: CompletionsFlags,
): Record<string, string> {
  const named = thinking[0] && reasoningFieldOf(thinking[0]);
  const original = thinkingFieldsOf(flags).find((name) => name === named);
  const field = original && (flags.thinkingBackIn ?? original);
  const text = sanitizeSurrogates(thinking.map((block) => block.thinking).join("\n"));
  const required = flags.requiresReasoningContentOnAssistantMessages && model.reasoning;
  return {
    ...(required ? { reasoning_content: flags.missingThinking ?? "" } : {}),
    ...(field && !isBlank(text) ? { [field]: text } : {}),
  };
}

function parseDetails(signature: string | undefined): Record<string, unknown>[] {
  if (!signature || ownFieldsOf(signature)) return [];
  try {
    const details: unknown = JSON.parse(signature);
    return isRecord(details) ? [details] : [];
  } catch {
    return []; // another api's signature
  }
}

/** Consecutive tool results: their images follow together after the last one. */
function resultRun(messages: readonly Message[], from: number): ToolResultMessage[] {
  const run: ToolResultMessage[] = [];
  for (let position = from; position < messages.length; position++) {
    const message = messages[position];
    if (message?.role !== "toolResult") break;
    run.push(message);
  }
  return run;
}

function pushResults(wire: WireMessage[], run: readonly ToolResultMessage[], flags: CompletionsFlags): void {
  const images = run.flatMap((result) => resultAttachments(result.content));
  for (const result of run) {
    const text = shownResultText(result.content);
    const cache = flags.cacheMarks === "prompt_cache_breakpoint" ? cacheOf(result.content) : undefined;
    wire.push({
      role: "tool",
      content: cache ? [{ type: "text", text, ...cacheMark(cache, flags) }] : text,
      tool_call_id: result.toolCallId,
      ...(flags.requiresToolResultName ? { name: result.toolName } : {}),
    });
  }
  if (images.length === 0) return;
  const intro: TextContent = { type: "text", text: "Attached image(s) from tool result:" };
  pushUser(wire, [intro, ...images], flags);
}
