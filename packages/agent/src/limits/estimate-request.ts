/** Estimates the usage of a request before it is sent. */
import type { AssistantMessage, Message, Model, UsageCost } from "pi-ai";
import { calculateCost } from "pi-ai/call";
import { estimateTokens } from "pi-ai/count";
import type { ModelRequest } from "../types/model-request.js";

/** Tokens, and US dollars at the catalogue's price. */
export interface Spending {
  tokens: number;
  usd: number;
}

/** The usage of a request that was not sent. */
export const NOTHING: Spending = { tokens: 0, usd: 0 };

/** The minimum usage of a request, which is its prompt, and what the maximum output of the model adds. */
export interface RequestEstimate extends Spending {
  outputTokens: number;
  outputUsd: number;
}

/**
 * Estimates the prompt with `estimateTokens`. If the last response used a cache, the part of the prompt that it shares
 * with this one is priced as read from the cache.
 *
 * @param messages those of the context, whose own array would be copied
 */
export function estimateRequest(
  { model, context, options }: ModelRequest,
  messages: readonly Message[],
): RequestEstimate {
  const { systemPrompt, tools } = context;
  const prompt = estimateTokens({ systemPrompt, tools, messages }, model);
  const last = findResponse(messages);
  const usage = last && !isFailed(last) ? last.usage : undefined;
  const isCached = usage !== undefined && usage.cacheRead + usage.cacheWrite > 0;
  const cacheRead = isCached ? Math.min(prompt, usage.totalTokens) : 0;
  const outputTokens = options.maxTokens ?? model.maxTokens;
  const cost = priceOf(model, prompt - cacheRead, cacheRead, outputTokens);
  return { tokens: prompt, usd: cost.input + cost.cacheRead, outputTokens, outputUsd: cost.output };
}

/** Returns the usage of a response, or an estimate if the provider reports none. */
export function spendingOf(response: AssistantMessage, request?: ModelRequest): Spending {
  const { usage, content } = response;
  if (usage.totalTokens > 0 || content.length === 0 || !request)
    return { tokens: usage.totalTokens, usd: usage.cost.total };
  const input = estimateTokens(request.context, request.model);
  const output = estimateTokens({ messages: [response] });
  return { tokens: input + output, usd: priceOf(request.model, input, 0, output).total };
}

function priceOf(model: Model, input: number, cacheRead: number, output: number): UsageCost {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return calculateCost(model, { input, output, cacheRead, cacheWrite: 0, totalTokens: 0, cost });
}

/** The last response. A loop, because `findLast` with its callback takes longer than all else here. */
function findResponse(messages: readonly Message[]): AssistantMessage | undefined {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.role === "assistant") return message;
  }
  return undefined;
}

function isFailed({ stopReason }: AssistantMessage): boolean {
  return stopReason === "error" || stopReason === "aborted";
}
