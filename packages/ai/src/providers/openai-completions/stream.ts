/** Maps chunks of the Chat Completions API to operations on the sink. */
import { type CompletionsFlags, usageElsewhere } from "../../catalogue/compat/index.js";
import type { WireMapping } from "../../driver/index.js";
import { type MessageSink, reportedCost, tokenCount, type UsageCounts, type WirePrice } from "../../message/index.js";
import { createStreamError } from "../../transport/index.js";
import { isRecord } from "../../utils/is-object.js";
import { firstIndexed, isText } from "../../utils/read-text.js";
import { DONE } from "../../wire/index.js";
import { ChatEnding } from "../chat-ending.js";
import { ContentReader, type GeminiUsage, type ProviderMetadata, type WireDelta } from "./content-reader.js";
import type { WireSources } from "./server-tools.js";

interface WireChoice extends UsageChoice {
  /** Some servers send a text. */
  index?: number | string | null;
  delta?: WireDelta | null;
  /** In place of deltas, or the whole beside the last one. */
  message?: WireDelta | null;
  /** The text of servers that answer as the older Completions API does. */
  text?: unknown;
  finish_reason?: string | null;
  logprobs?: unknown;
  content_filter_results?: unknown;
  /** OpenRouter (openrouter.ai/docs, "Errors", 2026-11): the provider behind it failed after the beginning. */
  error?: unknown;
}

interface WireChunk extends UsageChunk, WireSources, WireFilterResults {
  id?: string;
  model?: string;
  choices?: (WireChoice | null)[] | null;
  type?: unknown;
  error?: unknown;
}

/**
 * @param provider named in errors
 * @param statesReasons whether the server is known to send finish reasons
 */
export function createCompletionsMapping(
  provider: string,
  flags: CompletionsFlags,
  statesReasons: () => boolean = () => false,
): WireMapping {
  const response = new CompletionsResponse(provider, flags, statesReasons);
  return Object.assign((event: unknown, sink: MessageSink) => response.map(event, sink), {
    end: (sink: MessageSink) => response.end(sink),
  });
}

/** The service tier that answered, in each chunk (OpenAI API reference, "The chat completion chunk object", 2026-11). */
export function tierOfChunk(chunk: unknown): unknown {
  return isRecord(chunk) ? chunk["service_tier"] : undefined;
}

class CompletionsResponse {
  readonly #provider: string;
  readonly #content: ContentReader;
  readonly #usage: UsageReader;
  readonly #notes = new NoteReader();
  readonly #ending: ChatEnding;
  readonly #errorOf: CompletionsFlags["errorOf"];
  #refusal = "";
  #hasDeltas = false;

  constructor(provider: string, flags: CompletionsFlags, statesReasons: () => boolean) {
    this.#provider = provider;
    this.#errorOf = flags.errorOf;
    this.#content = new ContentReader(flags);
    this.#usage = new UsageReader(flags);
    const isCutOff = (sink: MessageSink): boolean => this.#content.hasUnfinishedCall(sink) || statesReasons();
    this.#ending = new ChatEnding(isCutOff, flags.supportsFinishReason !== false);
  }

  map(event: unknown, sink: MessageSink): boolean {
    if (event === DONE) {
      this.#complete(sink);
      this.#ending.complete(sink);
      return true;
    }
    const chunk = event as WireChunk; // every field is optional, and each value is checked where it is used
    sink.response({ responseId: chunk.id, responseModel: chunk.model });
    const choice = firstIndexed(chunk.choices);
    this.#usage.read(chunk, choice, sink);
    const error = this.#errorOf?.(event);
    if (error || chunk.error || chunk.type === "error") {
      this.#complete(sink);
      throw createStreamError(error ? { error } : chunk, this.#provider);
    }
    this.#content.addSources(chunk);
    if (chunk.prompt_filter_results) this.#notes.addPromptResults(chunk);
    if (choice) this.#mapChoice(choice, sink);
    return false;
  }

  /** The body ended without the end marker. */
  end(sink: MessageSink): void {
    this.#complete(sink);
    this.#ending.end(sink);
  }

  #mapChoice(choice: WireChoice, sink: MessageSink): void {
    const { finish_reason: finishReason, logprobs, content_filter_results: filterResults } = choice;
    const delta = this.#deltaOf(choice);
    if (delta && this.#content.addDelta(delta, sink)) this.#ending.hasContent = true;
    if (isText(delta?.refusal)) this.#refusal += delta.refusal;
    if (logprobs) this.#notes.addLogprobs(logprobs);
    if (filterResults) this.#notes.addFilterResults(filterResults);
    if (choice.error) {
      this.#complete(sink);
      throw createStreamError({ error: choice.error }, this.#provider);
    }
    if (!finishReason) return;
    // Written here because the end marker may be missing; written again if more follows.
    this.#content.write(sink);
    this.#ending.finish(finishReason, sink);
  }

  /** A server without deltas sends messages or texts in their place. After deltas, a message repeats them. */
  #deltaOf(choice: WireChoice): WireDelta | undefined {
    if (choice.delta) this.#hasDeltas = true;
    if (this.#hasDeltas) return choice.delta ?? undefined;
    const { message, text } = choice;
    return isRecord(message) ? message : isText(text) ? { content: text } : undefined;
  }

  #complete(sink: MessageSink): void {
    this.#content.write(sink);
    this.#content.close(sink);
    this.#notes.write(sink);
    this.#noteRefusal(sink);
  }

  /** A refusal arrives as text; the diagnostic marks it as a refusal. */
  #noteRefusal(sink: MessageSink): void {
    if (this.#refusal !== "") sink.note("refusal", { text: this.#refusal });
    this.#refusal = "";
  }
}

// Reads token counts of Chat Completions, in every shape that servers use.

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
class UsageReader {
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

// Facts of chat responses that become diagnostics.

type Fields = Record<string, unknown>;

/** Azure, "Content filtering: annotations" (2026-11). */
export interface WireFilterResults {
  prompt_filter_results?: unknown;
}

/** The lists of `logprobs`: one entry for each token. */
const LOGPROB_LISTS = ["content", "refusal"] as const;

export class NoteReader {
  #logprobs: Record<string, unknown[]> = {};
  #filter: Fields = {};

  addLogprobs(logprobs: unknown): void {
    if (!isRecord(logprobs)) return;
    for (const name of LOGPROB_LISTS) {
      const entries = logprobs[name];
      if (!Array.isArray(entries)) continue;
      this.#logprobs[name] ??= [];
      for (const entry of entries) this.#logprobs[name]?.push(entry);
    }
  }

  /** Each chunk rates only its own piece of the response, so a later clean result must not replace a finding. */
  addFilterResults(results: unknown): void {
    if (!isRecord(results)) return;
    const known = isRecord(this.#filter["response"]) ? this.#filter["response"] : {};
    const kept = Object.entries(known).filter(([name, result]) => isFinding(result) && !isFinding(results[name]));
    const merged = { ...known, ...results, ...Object.fromEntries(kept) };
    if (Object.keys(merged).length > 0) this.#filter["response"] = merged;
  }

  addPromptResults({ prompt_filter_results: results }: WireFilterResults): void {
    if (Array.isArray(results) && results.length > 0) this.#filter["prompt"] = results;
  }

  /** Adds the diagnostics for what has arrived since the last time. */
  write(sink: MessageSink): void {
    if (Object.keys(this.#logprobs).length > 0) sink.note("logprobs", this.#logprobs);
    if (Object.keys(this.#filter).length > 0) sink.note("content_filter", this.#filter);
    this.#logprobs = {};
    this.#filter = {};
  }
}

function isFinding(result: unknown): boolean {
  return isRecord(result) && (result["filtered"] === true || result["detected"] === true);
}
