/** Reports the savings of the provider's cache. */
import { ConfigError } from "../errors.js";
import { calculateCost } from "../message/index.js";
import type { AssistantMessage } from "../types/message.js";
import type { Model } from "../types/model.js";
import { isRecord } from "../utils/is-object.js";

/** The use of the cache by some responses. */
export interface CacheReport {
  /** The number of responses that reported usage. */
  responses: number;
  /** The number of these that read from the cache. */
  hits: number;
  /** Prompt tokens of all responses, cached ones included. */
  promptTokens: number;
  /** The prompt tokens read from the cache. */
  cachedTokens: number;
  /** The prompt tokens written to the cache, for any lifetime. */
  writtenTokens: number;
  /** `cachedTokens / promptTokens`; 0 without tokens. */
  hitRate: number;
  /**
   * US dollars that the cache saved at the model's prices: the cost without it, less the cost with it. Writing costs more
   * than input at some providers, and more for an hour than for five minutes, so the sum can be negative.
   */
  savedDollars: number;
  /** The number of responses with the diagnostic `cache_broken`, see `watchCache`. */
  broken: number;
}

/**
 * Sums up the use of the provider's cache over the responses of a run or a conversation.
 *
 * @param messages messages of any kind; those without usage are ignored
 * @param modelOf the model of a response, for its prices; a response without one saves nothing
 * @throws ConfigError without a list of messages or without `modelOf`
 */
export function reportCache(
  messages: readonly { role: string }[],
  modelOf: (message: AssistantMessage) => Pick<Model, "cost"> | undefined,
): CacheReport {
  // JavaScript callers may pass anything, and stored transcripts may hold anything.
  if (!Array.isArray(messages)) throw new ConfigError("reportCache needs a list of messages");
  if (typeof modelOf !== "function")
    throw new ConfigError("reportCache needs a function that returns the model of a response, such as () => model");
  const responses = messages.filter(isResponse);
  const report: CacheReport = {
    responses: 0,
    hits: 0,
    promptTokens: 0,
    cachedTokens: 0,
    writtenTokens: 0,
    hitRate: 0,
    savedDollars: 0,
    broken: 0,
  };
  for (const message of responses) {
    const { input, cacheRead, cacheWrite } = message.usage;
    report.broken += message.diagnostics?.some(({ type }) => type === "cache_broken") ? 1 : 0;
    if (message.usage.totalTokens === 0) continue;
    report.responses++;
    report.hits += cacheRead > 0 ? 1 : 0;
    report.promptTokens += input + cacheRead + cacheWrite;
    report.cachedTokens += cacheRead;
    report.writtenTokens += cacheWrite;
    report.savedDollars += savedBy(message, modelOf(message));
  }
  if (report.promptTokens > 0) report.hitRate = report.cachedTokens / report.promptTokens;
  return report;
}

function isResponse(message: unknown): message is AssistantMessage {
  return isRecord(message) && message["role"] === "assistant" && isRecord(message["usage"]);
}

/** Computes both costs at the model's prices, and ignores the cost in the response. */
function savedBy({ usage, timestamp }: AssistantMessage, model: Pick<Model, "cost"> | undefined): number {
  if (!model) return 0;
  const { input, cacheRead, cacheWrite } = usage;
  const cost = { ...usage.cost };
  const paid = calculateCost(model, { ...usage, cost: { ...cost } }, { timestamp }).total;
  const prompt = input + cacheRead + cacheWrite;
  const uncached = { ...usage, input: prompt, cacheRead: 0, cacheWrite: 0, cost };
  const full = calculateCost(model, uncached, { timestamp }).total;
  return full - paid;
}
