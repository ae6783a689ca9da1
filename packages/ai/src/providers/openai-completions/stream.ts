/** Maps chunks of the Chat Completions API to operations on the sink. */
import type { MessageSink } from "../../assemble/message-sink.js";
import type { CompletionsFlags } from "../../compat/openai-completions.js";
import type { WireMapping } from "../../runtime/api-adapter.js";
import { createStreamError } from "../../transport/http-error.js";
import { isText } from "../../utils/is-text.js";
import { DONE } from "../../wire/json-events.js";
import { ChatEnding } from "../chat-ending.js";
import { ToolCallTracker, type WireCall } from "../chat-tool-calls.js";
import { REASONING_FIELDS } from "./messages.js";
import { type ProviderMetadata, type UsageChoice, type UsageChunk, UsageReader } from "./usage.js";

interface WireDelta {
  content?: string | { type?: string; text?: string }[] | null;
  refusal?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  reasoning_text?: string | null;
  reasoning_details?: unknown;
  tool_calls?: WireCall[] | null;
  function_call?: WireCall["function"];
  provider_metadata?: ProviderMetadata | null;
}

interface WireChoice extends UsageChoice {
  index?: number | null;
  delta?: WireDelta | null;
  finish_reason?: string | null;
}

interface WireChunk extends UsageChunk {
  id?: string;
  model?: string;
  choices?: (WireChoice | null)[] | null;
  error?: unknown;
}

const TEXT_BLOCK = { type: "text" } as const;

/** @param provider named in errors */
export function createCompletionsMapping(provider: string, flags: CompletionsFlags): WireMapping {
  const response = new CompletionsResponse(provider, flags);
  return Object.assign((event: unknown, sink: MessageSink) => response.map(event, sink), {
    end: (sink: MessageSink) => response.end(sink),
  });
}

class CompletionsResponse {
  readonly #provider: string;
  readonly #calls = new ToolCallTracker();
  readonly #usage = new UsageReader();
  readonly #ending: ChatEnding;
  #refusal = "";

  constructor(provider: string, flags: CompletionsFlags) {
    this.#provider = provider;
    this.#ending = new ChatEnding(flags.supportsFinishReason !== false);
  }

  map(event: unknown, sink: MessageSink): boolean {
    if (event === DONE) {
      this.#noteRefusal(sink);
      this.#ending.complete(sink);
      return true;
    }
    const chunk = event as WireChunk; // every field is optional, and each value is checked where it is used
    sink.response({ responseId: chunk.id, responseModel: chunk.model });
    const choice = firstChoice(chunk);
    this.#usage.read(chunk, choice, sink);
    if (chunk.error) {
      this.#noteRefusal(sink);
      throw createStreamError(chunk, this.#provider);
    }
    if (choice) this.#mapChoice(choice, sink);
    return false;
  }

  /** The body ended without the end marker. */
  end(sink: MessageSink): void {
    this.#noteRefusal(sink);
    this.#ending.end(sink);
  }

  #mapChoice({ delta, finish_reason: finishReason }: WireChoice, sink: MessageSink): void {
    if (delta && mapDelta(delta, this.#calls, sink)) this.#ending.hasContent = true;
    if (isText(delta?.refusal)) this.#refusal += delta.refusal;
    if (finishReason) this.#ending.finish(finishReason, sink);
  }

  /** A refusal is part of the text; the diagnostic marks it as one. */
  #noteRefusal(sink: MessageSink): void {
    if (this.#refusal !== "") sink.note("refusal", { text: this.#refusal });
    this.#refusal = "";
  }
}

/** A request for several choices uses the first. */
function firstChoice({ choices }: WireChunk): WireChoice | undefined {
  if (!Array.isArray(choices)) return undefined;
  for (const choice of choices) if (choice && (choice.index ?? 0) === 0) return choice;
  return undefined;
}

/** Returns whether the delta held content. */
function mapDelta(delta: WireDelta, calls: ToolCallTracker, sink: MessageSink): boolean {
  const field = reasoningField(delta);
  const thinking = field ? delta[field] : detailsText(delta.reasoning_details);
  const hasThinking = isText(thinking);
  if (hasThinking) {
    sink.ensure("thinking", { type: "thinking", thinkingSignature: field });
    sink.append("thinking", thinking);
  }
  const hasText = mapText(contentText(delta.content), sink);
  const hasRefusal = mapText(delta.refusal, sink);
  if (Array.isArray(delta.reasoning_details)) calls.addDetails(delta.reasoning_details, sink);
  return mapCalls(delta, calls, sink) || hasThinking || hasText || hasRefusal;
}

function mapCalls({ tool_calls, function_call }: WireDelta, calls: ToolCallTracker, sink: MessageSink): boolean {
  const fragments = Array.isArray(tool_calls) ? tool_calls.filter(Boolean) : [];
  if (function_call) fragments.push({ index: 0, function: function_call });
  for (const fragment of fragments) calls.add(fragment, sink);
  return fragments.length > 0;
}

function mapText(text: unknown, sink: MessageSink): boolean {
  if (!isText(text)) return false;
  sink.ensure("text", TEXT_BLOCK);
  sink.append("text", text);
  return true;
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
