/** Maps chunks of the Mistral API to operations on the sink. */
import type { WireMapping } from "../../driver/index.js";
import { type MessageSink, tokenCount } from "../../message/index.js";
import { createStreamError } from "../../transport/index.js";
import { firstIndexed } from "../../utils/read-text.js";
import { DONE } from "../../wire/index.js";
import { ChatEnding } from "../chat-ending.js";
import { ToolCallTracker, type WireCall } from "../tool-call-tracker.js";
import { ContentReader } from "./content-reader.js";

interface WireDelta {
  content?: string | unknown[] | null;
  tool_calls?: (WireCall | null)[] | null;
}

interface WireUsage {
  prompt_tokens?: unknown;
  completion_tokens?: unknown;
  total_tokens?: unknown;
  num_cached_tokens?: unknown;
  prompt_tokens_details?: { cached_tokens?: unknown } | null;
}

interface WireChoice {
  index?: number | string | null;
  delta?: WireDelta | null;
  finish_reason?: string | null;
}

interface WireChunk {
  object?: string;
  type?: string;
  id?: string;
  model?: string;
  choices?: (WireChoice | null)[] | null;
  usage?: WireUsage | null;
  error?: unknown;
}

/**
 * @param provider named in errors
 * @param statesReasons whether the server is known to send finish reasons
 */
export function createMistralMapping(provider: string, statesReasons: () => boolean = () => false): WireMapping {
  const calls = new ToolCallTracker();
  const content = new ContentReader();
  const ending = new ChatEnding((sink) => calls.hasUnfinished(sink) || statesReasons());
  const map = (event: unknown, sink: MessageSink): boolean => {
    if (event === DONE) {
      ending.complete(sink);
      return true;
    }
    const chunk = event as WireChunk; // every field is optional, and each value is checked where it is used
    if (chunk.error || chunk.object === "error" || chunk.type === "error") throw createStreamError(chunk, provider);
    sink.response({ responseId: chunk.id, responseModel: chunk.model });
    if (chunk.usage) mapUsage(chunk.usage, sink);
    const choice = firstIndexed(chunk.choices);
    if (choice?.delta && mapDelta(choice.delta, content, calls, sink)) ending.hasContent = true;
    if (choice?.finish_reason) ending.finish(choice.finish_reason, sink);
    return false;
  };
  return Object.assign(map, { end: (sink: MessageSink) => ending.end(sink) });
}

/** Returns whether the delta held content. */
function mapDelta(delta: WireDelta, content: ContentReader, calls: ToolCallTracker, sink: MessageSink): boolean {
  let hasContent = content.add(delta.content, sink);
  if (!Array.isArray(delta.tool_calls)) return hasContent;
  for (const call of delta.tool_calls) {
    if (!call) continue;
    hasContent = true;
    // The API's schema has the string "null" as the default of an id.
    calls.add(call.id === "null" ? { ...call, id: null } : call, sink);
  }
  return hasContent;
}

/** `prompt_tokens` includes the cache. Audio is counted beside it, in the total only. */
function mapUsage(usage: WireUsage, sink: MessageSink): void {
  const output = tokenCount(usage.completion_tokens);
  const cacheRead = tokenCount(usage.prompt_tokens_details?.cached_tokens) ?? tokenCount(usage.num_cached_tokens) ?? 0;
  const prompt = tokenCount(usage.prompt_tokens);
  const total = tokenCount(usage.total_tokens) ?? 0;
  const input = prompt === undefined ? undefined : Math.max(prompt, total - (output ?? 0)) - cacheRead;
  sink.usage({ input: input && Math.max(0, input), output, cacheRead });
}
