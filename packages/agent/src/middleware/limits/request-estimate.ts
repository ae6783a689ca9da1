/** The usage of a request: estimated before it is sent, and counted after it. */
import type { AssistantMessage, Message, Model, UsageCost } from "pi-ai";
import { calculateCost, isFailure } from "pi-ai/call";
import { estimateTokens } from "pi-ai/count";
import type { ModelRequest } from "../../types/hooks.js";

/** Tokens, and their cost in US dollars at the prices of the model. */
export interface Spending {
  tokens: number;
  usd: number;
}

/** The spending of a request that ended without a response. */
export const NOTHING: Spending = { tokens: 0, usd: 0 };

/** The least that a request uses, which is its prompt, and the most that its output adds. */
export interface RequestEstimate extends Spending {
  outputTokens: number;
  outputUsd: number;
}

/**
 * Estimates the prompt with `estimateTokens`. If the last response used a cache, the part of the prompt that was sent then
 * is priced as read from the cache.
 *
 * @param messages those of the context; reading `context.messages` would copy them
 */
export function estimateRequest(
  { model, context, options }: ModelRequest,
  messages: readonly Message[],
): RequestEstimate {
  const { systemPrompt, tools } = context;
  const prompt = estimateTokens({ systemPrompt, tools, messages }, model);
  const last = findResponse(messages);
  const usage = last && !isFailure(last.stopReason) ? last.usage : undefined;
  const isCached = usage !== undefined && usage.cacheRead + usage.cacheWrite > 0;
  const cacheRead = isCached ? Math.min(prompt, usage.totalTokens) : 0;
  const outputTokens = options.maxTokens ?? model.maxTokens;
  const cost = priceOf(model, prompt - cacheRead, cacheRead, outputTokens);
  return { tokens: prompt, usd: cost.input + cost.cacheRead, outputTokens, outputUsd: cost.output };
}

/** Returns what a response used. With `request`, estimates it if the provider reported no usage. */
export function spendingOf(response: AssistantMessage, request?: ModelRequest): Spending {
  const { usage, content } = response;
  if (usage.totalTokens > 0 || content.length === 0 || !request)
    return { tokens: usage.totalTokens, usd: usage.cost.total };
  const input = estimateTokens(request.context, request.model);
  const output = estimateTokens({ messages: [response] });
  return { tokens: input + output, usd: priceOf(request.model, input, 0, output).total };
}

/** Whether a response cost nothing because its model has no prices. */
export function isUnpriced({ usage }: AssistantMessage, { model }: ModelRequest): boolean {
  return usage.cost.total === 0 && priceOf(model, 1, 1, 1).total === 0;
}

function priceOf(model: Model, input: number, cacheRead: number, output: number): UsageCost {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return calculateCost(model, { input, output, cacheRead, cacheWrite: 0, totalTokens: 0, cost });
}

/** Returns the last response. A loop, because `findLast` with its callback takes longer than all the rest here. */
function findResponse(messages: readonly Message[]): AssistantMessage | undefined {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.role === "assistant") return message;
  }
  return undefined;
}
