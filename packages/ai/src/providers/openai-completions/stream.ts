/** Chunks of the Chat Completions API to operations on the sink. */
import type { MessageSink, UsageCounts } from "../../assemble/message-sink.js";
import { tokenCount } from "../../assemble/token-count.js";
import type { CompletionsFlags } from "../../compat/openai-completions.js";
import type { WireMapping } from "../../runtime/api-adapter.js";
import { createStreamError } from "../../transport/http-error.js";
import { formatThrownValue } from "../../utils/diagnostics.js";
import { DONE } from "../../wire/json-events.js";
import { ToolCallTracker, type WireCall } from "../chat-tool-calls.js";
import type { Ending } from "../ending.js";
import { REASONING_FIELDS } from "./messages.js";

interface WireUsage {
  prompt_tokens?: unknown;
  completion_tokens?: unknown;
  prompt_cache_hit_tokens?: unknown;
  prompt_tokens_details?: { cached_tokens?: unknown; cache_write_tokens?: unknown } | null;
  completion_tokens_details?: { reasoning_tokens?: unknown } | null;
}

interface WireDelta {
  content?: string | { type?: string; text?: string }[] | null;
  refusal?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  reasoning_text?: string | null;
  reasoning_details?: unknown;
  tool_calls?: WireCall[] | null;
  function_call?: WireCall["function"];
}

interface WireChoice {
  index?: number | null;
  delta?: WireDelta | null;
  finish_reason?: string | null;
  usage?: WireUsage | null;
}

interface WireChunk {
  id?: string;
  model?: string;
  choices?: (WireChoice | null)[] | null;
  usage?: WireUsage | null;
  error?: unknown;
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  stop: { reason: "stop" },
  end: { reason: "stop" },
  length: { reason: "length" },
  tool_calls: { reason: "toolUse" },
  function_call: { reason: "toolUse" },
  content_filter: { reason: "error", kind: "content_filter" },
  network_error: { reason: "error", kind: "server" },
};

const TEXT_BLOCK = { type: "text" } as const;

/** @param provider named in errors */
export function createCompletionsMapping(provider: string, flags: CompletionsFlags): WireMapping {
  const calls = new ToolCallTracker();
  let stopped = false;
  let refusalNoted = false;
  const mapChoice = ({ delta, finish_reason: finishReason }: WireChoice, sink: MessageSink): void => {
    if (delta) mapDelta(delta, calls, sink);
    if (!refusalNoted && isText(delta?.refusal)) {
      refusalNoted = true;
      sink.note("refusal");
    }
    if (!finishReason) return;
    stopped = true;
    stopWith(finishReason, sink);
  };
  return (event, sink) => {
    if (event === DONE) {
      if (!stopped && flags.supportsFinishReason === false) sink.stop("stop");
      return true;
    }
    const chunk = event as WireChunk; // every field is optional, and each value is checked where it is used
    sink.response({ responseId: chunk.id, responseModel: chunk.model });
    const choice = firstChoice(chunk);
    mapUsage(chunk.usage ?? choice?.usage, sink);
    if (chunk.error) throw createStreamError(chunk, provider);
    if (choice) mapChoice(choice, sink);
    return false;
  };
}

/** Of several answers, the first is the one that is read. */
function firstChoice({ choices }: WireChunk): WireChoice | undefined {
  if (!Array.isArray(choices)) return undefined;
  for (const choice of choices) if (choice && (choice.index ?? 0) === 0) return choice;
  return undefined;
}

function mapDelta(delta: WireDelta, calls: ToolCallTracker, sink: MessageSink): void {
  const field = reasoningField(delta);
  const thinking = field ? delta[field] : detailsText(delta.reasoning_details);
  if (isText(thinking)) {
    sink.ensure("thinking", { type: "thinking", thinkingSignature: field });
    sink.append("thinking", thinking);
  }
  mapText(contentText(delta.content), sink);
  // A refusal is the answer's text; the note says what it is.
  mapText(delta.refusal, sink);
  if (Array.isArray(delta.reasoning_details)) calls.addDetails(delta.reasoning_details, sink);
  if (Array.isArray(delta.tool_calls)) for (const call of delta.tool_calls) if (call) calls.add(call, sink);
  if (delta.function_call) calls.add({ index: 0, function: delta.function_call }, sink);
}

function mapText(text: unknown, sink: MessageSink): void {
  if (!isText(text)) return;
  sink.ensure("text", TEXT_BLOCK);
  sink.append("text", text);
}

function reasoningField(delta: WireDelta): (typeof REASONING_FIELDS)[number] | undefined {
  for (const field of REASONING_FIELDS) if (isText(delta[field])) return field;
  return undefined;
}

/** Some servers send reasoning in its details alone; others repeat it there. */
function detailsText(details: unknown): string {
  if (!Array.isArray(details)) return "";
  const texts = details.map((detail: { type?: string; text?: string; summary?: string } | null) =>
    detail?.type === "reasoning.text" ? detail.text : detail?.type === "reasoning.summary" ? detail.summary : undefined,
  );
  return texts.filter(isText).join("");
}

/** Most servers send a string; a few send a list of parts. */
function contentText(content: WireDelta["content"]): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (part?.type === "text" && isText(part.text) ? part.text : "")).join("");
}

function mapUsage(usage: WireUsage | null | undefined, sink: MessageSink): void {
  if (usage) sink.usage(toCounts(usage));
}

/** The prompt's tokens hold those of the cache; the answer's hold those of reasoning. */
function toCounts(usage: WireUsage): UsageCounts {
  const prompt = tokenCount(usage.prompt_tokens);
  const details = usage.prompt_tokens_details;
  const cacheRead = tokenCount(details?.cached_tokens) ?? tokenCount(usage.prompt_cache_hit_tokens) ?? 0;
  const cacheWrite = tokenCount(details?.cache_write_tokens) ?? 0;
  return {
    input: prompt === undefined ? undefined : Math.max(0, prompt - cacheRead - cacheWrite),
    output: tokenCount(usage.completion_tokens),
    cacheRead,
    cacheWrite,
    reasoning: tokenCount(usage.completion_tokens_details?.reasoning_tokens),
  };
}

function stopWith(finishReason: unknown, sink: MessageSink): void {
  const word = formatThrownValue(finishReason);
  const { reason, kind }: Ending = (Object.hasOwn(ENDINGS, word) && ENDINGS[word]) || {
    reason: "error",
    kind: "protocol",
  };
  sink.stop(reason, reason === "error" ? `Provider finish_reason: ${word}` : undefined, kind);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
