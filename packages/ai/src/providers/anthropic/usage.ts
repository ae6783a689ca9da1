/** Token counts of the Anthropic Messages API. */

import type { AnthropicFlags } from "../../catalogue/compat/index.js";
import {
  calculateCost,
  emptyUsage,
  type MessageSink,
  reportedCost,
  tokenCount,
  type UsageCounts,
  type WirePrice,
} from "../../message/index.js";
import type { Model } from "../../types/model.js";

interface WireCounts {
  input_tokens?: unknown;
  output_tokens?: unknown;
  cache_read_input_tokens?: unknown;
  cache_creation_input_tokens?: unknown;
  cache_creation?: { ephemeral_1h_input_tokens?: unknown } | null;
}

/** One of the model runs that produced a response. */
interface WireIteration extends WireCounts {
  type?: unknown;
  model?: unknown;
}

/** OpenRouter adds `cost` (OpenRouter API reference, "Create a message", `MessagesResult.usage`, 2026-09). */
export interface WireUsage extends WireCounts, WirePrice {
  output_tokens_details?: { thinking_tokens?: unknown } | null;
  server_tool_use?: { web_search_requests?: unknown } | null;
  iterations?: (WireIteration | null)[] | null;
}

export type Prices = Pick<AnthropicFlags, "webSearchPrice"> & { model?: Pick<Model, "id" | "cost"> };

export function mapUsage(usage: WireUsage | null | undefined, { webSearchPrice }: Prices, sink: MessageSink): void {
  if (!usage) return;
  const searches = tokenCount(usage.server_tool_use?.web_search_requests);
  sink.usage({
    ...toCounts(usage),
    reasoning: tokenCount(usage.output_tokens_details?.thinking_tokens),
    extraCost: searches === undefined ? undefined : searches * webSearchPrice,
    reportedCost: reportedCost(usage),
  });
}

/**
 * Adds a diagnostic with the iterations if the top-level counts omit some. These sum iterations of the type `message`
 * only; compaction and an advisor are charged in addition (Anthropic API reference, "Compaction" and "Advisor tool",
 * 2026-10).
 *
 * @returns whether a diagnostic was added
 */
export function noteIterations(usage: WireUsage | null | undefined, { model }: Prices, sink: MessageSink): boolean {
  const list = Array.isArray(usage?.iterations) ? usage.iterations : [];
  const iterations = list.filter((one) => typeof one === "object" && one !== null);
  if (iterations.every(({ type }) => type === "message" || type === undefined)) return false;
  sink.note("usage_iterations", { iterations: iterations.map((iteration) => toIteration(iteration, model)) });
  return true;
}

/** The price of another model, such as an advisor, is unknown here. */
function toIteration(iteration: WireIteration, model: Prices["model"]): Record<string, unknown> {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cacheWrite1h } = toCounts(iteration);
  const counts = { input, output, cacheRead, cacheWrite, ...(cacheWrite1h ? { cacheWrite1h } : {}) };
  const id = typeof iteration.model === "string" ? iteration.model : undefined;
  const isPriced = model !== undefined && (id === undefined || id === model.id);
  return {
    type: typeof iteration.type === "string" ? iteration.type : "message",
    ...(id === undefined ? {} : { model: id }),
    ...counts,
    ...(isPriced ? { cost: calculateCost(model, { ...emptyUsage(), ...counts }).total } : {}),
  };
}

function toCounts(counts: WireCounts): UsageCounts {
  return {
    input: tokenCount(counts.input_tokens),
    output: tokenCount(counts.output_tokens),
    cacheRead: tokenCount(counts.cache_read_input_tokens),
    cacheWrite: tokenCount(counts.cache_creation_input_tokens),
    cacheWrite1h: tokenCount(counts.cache_creation?.ephemeral_1h_input_tokens),
  };
}
