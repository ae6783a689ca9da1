/** Chunks of the Mistral API to operations on the sink. */
import type { MessageSink } from "../../assemble/message-sink.js";
import { tokenCount } from "../../assemble/token-count.js";
import type { WireMapping } from "../../runtime/api-adapter.js";
import { createStreamError } from "../../transport/http-error.js";
import { DONE } from "../../wire/json-events.js";
import { ToolCallTracker, type WireCall } from "../chat-tool-calls.js";
import type { Ending } from "../ending.js";

interface WirePart {
  type?: string;
  text?: string;
  thinking?: string | ({ type?: string; text?: string } | null)[];
}

interface WireDelta {
  content?: string | (WirePart | null)[] | null;
  tool_calls?: (WireCall | null)[] | null;
}

interface WireUsage {
  prompt_tokens?: unknown;
  completion_tokens?: unknown;
  total_tokens?: unknown;
  num_cached_tokens?: unknown;
  prompt_tokens_details?: { cached_tokens?: unknown } | null;
}

interface WireChunk {
  object?: string;
  type?: string;
  id?: string;
  model?: string;
  choices?: ({ index?: number | null; delta?: WireDelta | null; finish_reason?: string | null } | null)[] | null;
  usage?: WireUsage | null;
  error?: unknown;
}

/** Values of `finish_reason`: Mistral API reference, "Chat completion", 2026-11. */
const ENDINGS: Readonly<Record<string, Ending>> = {
  stop: { reason: "stop" },
  length: { reason: "length" },
  model_length: { reason: "length" },
  tool_calls: { reason: "toolUse" },
  error: { reason: "error", message: "Provider finish_reason: error", kind: "server" },
};

/** @param provider named in errors */
export function createMistralMapping(provider: string): WireMapping {
  const calls = new ToolCallTracker();
  return (event, sink) => {
    if (event === DONE) return true;
    const chunk = event as WireChunk; // every field is optional, and each value is checked where it is used
    if (chunk.error || chunk.object === "error" || chunk.type === "error") throw createStreamError(chunk, provider);
    sink.response({ responseId: chunk.id, responseModel: chunk.model });
    if (chunk.usage) mapUsage(chunk.usage, sink);
    const choice = Array.isArray(chunk.choices)
      ? chunk.choices.find((one) => one && (one.index ?? 0) === 0)
      : undefined;
    if (choice?.delta) mapDelta(choice.delta, calls, sink);
    if (choice?.finish_reason) stopWith(choice.finish_reason, sink);
    return false;
  };
}

function mapDelta({ content, tool_calls }: WireDelta, calls: ToolCallTracker, sink: MessageSink): void {
  if (Array.isArray(content)) for (const part of content) mapPart(part ?? {}, sink);
  else grow("text", content, sink);
  if (!Array.isArray(tool_calls)) return;
  // The schema of the API has the word "null" as the default of an id.
  for (const call of tool_calls) if (call) calls.add(call.id === "null" ? { ...call, id: null } : call, sink);
}

/** Parts of other types are references and media, which are no text. */
function mapPart(part: WirePart, sink: MessageSink): void {
  if (part.type === "text") grow("text", part.text, sink);
  if (part.type !== "thinking") return;
  if (!Array.isArray(part.thinking)) grow("thinking", part.thinking, sink);
  else for (const piece of part.thinking) grow("thinking", piece?.text, sink);
}

function grow(type: "text" | "thinking", delta: unknown, sink: MessageSink): void {
  if (typeof delta !== "string" || delta === "") return;
  sink.ensure(type, { type });
  sink.append(type, delta);
}

/** The prompt's tokens hold those of the cache. Audio is counted beside them, and only the total tells. */
function mapUsage(usage: WireUsage, sink: MessageSink): void {
  const output = tokenCount(usage.completion_tokens);
  const cacheRead = tokenCount(usage.prompt_tokens_details?.cached_tokens) ?? tokenCount(usage.num_cached_tokens) ?? 0;
  const prompt = tokenCount(usage.prompt_tokens);
  const total = tokenCount(usage.total_tokens) ?? 0;
  const input = prompt === undefined ? undefined : Math.max(prompt, total - (output ?? 0)) - cacheRead;
  sink.usage({ input: input && Math.max(0, input), output, cacheRead });
}

function stopWith(finishReason: string, sink: MessageSink): void {
  const ending = Object.hasOwn(ENDINGS, finishReason) ? ENDINGS[finishReason] : undefined;
  if (ending) sink.stop(ending.reason, ending.message, ending.kind);
  else sink.stop("error", `Provider finish_reason: ${finishReason}`, "protocol");
}
