/** A conversation as messages of the Chat Completions API. */
import type { CompletionsFlags } from "../../compat/openai-completions.js";
import { describeFile } from "../../handoff/portable-content.js";
import type { ToolCallIdRule } from "../../handoff/transform-messages.js";
import { unknownBlock } from "../../handoff/unknown-block.js";
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
import { sanitizeSurrogates } from "../../utils/sanitize-unicode.js";
import { isBlank, RESULTS_READ, resultAttachments, shownResultText, toDataUrl, userParts } from "../content.js";

export interface WirePart {
  type: string;
  text?: string;
  image_url?: { url: string };
  cache_control?: unknown;
}

export interface WireMessage {
  role: "system" | "developer" | "user" | "assistant" | "tool";
  content: string | WirePart[] | null;
  [field: string]: unknown;
}

/** The fields in which servers send and accept reasoning. */
export const REASONING_FIELDS = ["reasoning_content", "reasoning", "reasoning_text"] as const;

/** OpenAI rejects longer ids (API reference, "Create chat completion", 2026-11), and gateways pass them on to OpenAI. */
const LONGEST_ID = 40;

/** Ids of the Responses API are pairs, of which the first part is the tool call's own (OpenAI API reference, 2026-11). */
export const COMPLETIONS_CALL_IDS: ToolCallIdRule = {
  normalize: (id) => {
    const bar = id.indexOf("|");
    const own = bar === -1 ? id : id.slice(0, bar).replace(/[^a-zA-Z0-9_-]/g, "_");
    return own.slice(0, LONGEST_ID);
  },
  maxLength: LONGEST_ID,
};

export function toWireMessages(
  context: Context,
  messages: readonly Message[],
  model: Model,
  flags: CompletionsFlags,
): WireMessage[] {
  const wire: WireMessage[] = [];
  if (context.systemPrompt) {
    const role = model.reasoning && flags.supportsDeveloperRole ? "developer" : "system";
    wire.push({ role, content: sanitizeSurrogates(context.systemPrompt) });
  }
  for (let position = 0; position < messages.length; position++) {
    const message = messages[position];
    if (message?.role === "user") pushUser(wire, message.content, flags);
    else if (message?.role === "assistant") pushAssistant(wire, message, model, flags);
    else if (message?.role === "toolResult") {
      const run = resultRun(messages, position);
      pushResults(wire, run, flags);
      position += run.length - 1;
    }
  }
  return wire;
}

function pushUser(wire: WireMessage[], content: string | UserBlock[], flags: CompletionsFlags): void {
  const parts = userParts(content);
  if (parts.length === 0) return;
  if (flags.requiresAssistantAfterToolResult && wire.at(-1)?.role === "tool") {
    wire.push({ role: "assistant", content: RESULTS_READ });
  }
  const only = parts.length === 1 ? parts[0] : undefined;
  wire.push({ role: "user", content: only?.type === "text" ? only.text : parts.map(toPart) });
}

function toPart(part: UserBlock): WirePart {
  if (part.type === "image") return { type: "image_url", image_url: { url: toDataUrl(part) } };
  return { type: "text", text: part.type === "file" ? describeFile(part) : part.text };
}

function pushAssistant(wire: WireMessage[], message: AssistantMessage, model: Model, flags: CompletionsFlags): void {
  const { texts, thinking, calls } = sortBlocks(message);
  const said = sanitizeSurrogates(texts.join(""));
  const text = isBlank(said) ? "" : said;
  const asText = flags.requiresThinkingAsText
    ? sanitizeSurrogates(thinking.map((block) => block.thinking).join("\n"))
    : "";
  if (text === "" && asText === "" && calls.length === 0) return;

  const needsText = flags.requiresAssistantAfterToolResult || flags.requiresNonNullAssistantContent;
  const plain = text === "" ? (needsText ? "" : null) : text;
  const textParts: WirePart[] = [asText, text]
    .filter((part) => part !== "")
    .map((part) => ({ type: "text", text: part }));
  const details = calls.flatMap((call) => parseDetails(call.thoughtSignature));
  wire.push({
    role: "assistant",
    content: asText === "" ? plain : textParts,
    ...(flags.requiresThinkingAsText ? {} : replayThinking(thinking, model, flags)),
    ...(calls.length > 0 ? { tool_calls: calls.map(({ id, name, arguments: input }) => toCall(id, name, input)) } : {}),
    ...(details.length > 0 ? { reasoning_details: details } : {}),
  });
}

/** A Chat Completions message has one field for each type of block. */
function sortBlocks({ content }: AssistantMessage): {
  texts: string[];
  thinking: ThinkingContent[];
  calls: ToolCall[];
} {
  const texts: string[] = [];
  const thinking: ThinkingContent[] = [];
  const calls: ToolCall[] = [];
  for (const block of content) {
    switch (block.type) {
      case "text":
        texts.push(block.text);
        break;
      case "thinking":
        if (!isBlank(block.thinking)) thinking.push(block);
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
        texts.push(describeFile(block));
        break;
      default:
        throw unknownBlock(block);
    }
  }
  return { texts, thinking, calls };
}

function toCall(id: string, name: string, input: unknown): object {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

/** Sends thinking back in its original field, which its signature names. */
function replayThinking(
  thinking: readonly ThinkingContent[],
  model: Model,
  flags: CompletionsFlags,
): Record<string, string> {
  const field = REASONING_FIELDS.find((name) => name === thinking[0]?.thinkingSignature);
  const required = flags.requiresReasoningContentOnAssistantMessages && model.reasoning;
  return {
    ...(required ? { reasoning_content: "" } : {}),
    ...(field ? { [field]: sanitizeSurrogates(thinking.map((block) => block.thinking).join("\n")) } : {}),
  };
}

function parseDetails(signature: string | undefined): unknown[] {
  if (!signature) return [];
  try {
    const details: unknown = JSON.parse(signature);
    return typeof details === "object" && details !== null ? [details] : [];
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
    wire.push({
      role: "tool",
      content: shownResultText(result.content),
      tool_call_id: result.toolCallId,
      ...(flags.requiresToolResultName ? { name: result.toolName } : {}),
    });
  }
  if (images.length === 0) return;
  const intro: TextContent = { type: "text", text: "Attached image(s) from tool result:" };
  pushUser(wire, [intro, ...images], flags);
}
