/** Reads token counts of Chat Completions, in every shape that servers use. */
import { type CompletionsFlags, usageElsewhere } from "../../catalogue/compat/index.js";
import { type MessageSink, reportedCost, tokenCount, type UsageCounts, type WirePrice } from "../../message/index.js";
import type { GeminiUsage, ProviderMetadata } from "./content-reader.js";

/** OpenAI's counts, and fields of the vendors named in the comments. */
export interface WireUsage extends WirePrice {
  prompt_tokens?: unknown;
  completion_tokens?: unknown;
  total_tokens?: unknown;
  /** DeepSeek. */
  prompt_cache_hit_tokens?: unknown;
  prompt_tokens_details?: { cached_tokens?: unknown; cache_write_tokens?: unknown } | null;
  completion_tokens_details?: { reasoning_tokens?: unknown } | null;
  /** Perplexity and others, which do not send details. */
  reasoning_tokens?: unknown;
}

/** The parts of a chunk that hold counts. */
export interface UsageChunk {
  usage?: WireUsage | null;
  /** Venice: the price, outside of the counts. */
  cost?: unknown;
}

/** The parts of a choice that hold counts. */
export interface UsageChoice {
  delta?: { provider_metadata?: ProviderMetadata | null } | null;
}

/** Reads the counts of one response. */
export class UsageReader {
  /** Whether Gemini's own counts arrived. They win, because the gateway's counts omit thinking tokens. */
  #isGemini = false;
  readonly #flags: CompletionsFlags;

  constructor(flags: CompletionsFlags) {
    this.#flags = flags;
  }

  read(chunk: UsageChunk, choice: UsageChoice | undefined, sink: MessageSink): void {
    const gemini = choice?.delta?.provider_metadata?.google?.usageMetadata;
    const elsewhere = this.#flags.usageOf || !chunk.usage ? usageElsewhere(this.#flags, chunk, choice) : undefined;
    const usage: WireUsage | undefined = elsewhere ?? chunk.usage ?? undefined;
    if (typeof gemini === "object" && gemini !== null) {
      this.#isGemini = true;
      sink.usage(geminiCounts(gemini));
    } else if (usage && !this.#isGemini) sink.usage(toCounts(usage));
    const price = (usage ? reportedCost(usage) : undefined) ?? reportedCost({ cost: chunk.cost });
    if (price !== undefined) sink.usage({ reportedCost: price });
  }
}

/** `prompt_tokens` includes the cache. `completion_tokens` includes reasoning, unless the total says otherwise. */
function toCounts(usage: WireUsage): UsageCounts {
  const prompt = tokenCount(usage.prompt_tokens);
  const completion = tokenCount(usage.completion_tokens);
  const details = usage.prompt_tokens_details;
  const cacheRead = tokenCount(details?.cached_tokens) ?? tokenCount(usage.prompt_cache_hit_tokens) ?? 0;
  const cacheWrite = tokenCount(details?.cache_write_tokens) ?? 0;
  const reasoning = tokenCount(usage.completion_tokens_details?.reasoning_tokens) ?? tokenCount(usage.reasoning_tokens);
  // xAI counts reasoning in addition to the completion, and bills it (docs.x.ai, "Reasoning": usage, 2026-11).
  const isBeside =
    reasoning !== undefined && tokenCount(usage.total_tokens) === (prompt ?? 0) + (completion ?? 0) + reasoning;
  return {
    input: prompt === undefined ? undefined : Math.max(0, prompt - cacheRead - cacheWrite),
    output: isBeside ? (completion ?? 0) + reasoning : completion,
    cacheRead,
    cacheWrite,
    reasoning,
  };
}

function geminiCounts(usage: GeminiUsage): UsageCounts {
  const cacheRead = tokenCount(usage.cachedContentTokenCount) ?? 0;
  const prompt = (tokenCount(usage.promptTokenCount) ?? 0) + (tokenCount(usage.toolUsePromptTokenCount) ?? 0);
  const reasoning = tokenCount(usage.thoughtsTokenCount);
  return {
    input: Math.max(0, prompt - cacheRead),
    output: (tokenCount(usage.candidatesTokenCount) ?? 0) + (reasoning ?? 0),
    cacheRead,
    reasoning,
  };
}
