/** Reads the token counts of a response. */
import type { AnthropicFlags } from "../../catalogue/compat/index.js";
import { type MessageSink, reportedCost, tokenCount, type UsageCounts, type WirePrice } from "../../message/index.js";
import type { Model } from "../../types/model.js";
import { type FindPrice, fallbackCounts } from "./fallbacks.js";
import { type ModelRun, noteRuns } from "./own-usage.js";

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

export type Prices = Pick<AnthropicFlags, "webSearchPrice"> & {
  model?: Pick<Model, "id" | "cost">;
  /** The prices of other models, for an answer of one of them. */
  find?: FindPrice;
};

export function mapUsage(usage: WireUsage | null | undefined, prices: Prices, sink: MessageSink): void {
  if (!usage) return;
  const { webSearchPrice, model, find } = prices;
  const searches = tokenCount(usage.server_tool_use?.web_search_requests);
  const { pricedAs, extraCost: declined } = model && find ? fallbackCounts(runsOf(usage), { model, find }) : {};
  const searched = searches === undefined ? undefined : searches * webSearchPrice;
  sink.usage({
    ...toCounts(usage),
    reasoning: tokenCount(usage.output_tokens_details?.thinking_tokens),
    extraCost: declined === undefined ? searched : declined + (searched ?? 0),
    reportedCost: reportedCost(usage),
    pricedAs,
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
  const runs = runsOf(usage);
  if (runs.length > 0) noteRuns(runs, model, sink);
  return runs.length > 0;
}

function runsOf(usage: WireUsage | null | undefined): ModelRun[] {
  return otherRuns(usage).map((iteration) => ({ iteration, counts: toCounts(iteration) }));
}

/** All iterations, if some are not of the type `message`. */
function otherRuns(usage: WireUsage | null | undefined): readonly WireIteration[] {
  const list = Array.isArray(usage?.iterations) ? usage.iterations : [];
  const iterations = list.filter((one) => typeof one === "object" && one !== null);
  return iterations.every(({ type }) => type === "message" || type === undefined) ? [] : iterations;
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
