/** Estimates the usage of a request before it is sent. */
import type { AssistantMessage, Model, Usage } from "pi-ai";
import { calculateCost } from "pi-ai/call";
import { estimateTokens } from "pi-ai/count";
import type { ModelRequest } from "../types/model-request.js";

/** Tokens, and US dollars at the catalogue's price. */
export interface Spending {
  tokens: number;
  usd: number;
}

/** The minimum and maximum usage of a request. */
export interface RequestEstimate {
  /** The prompt only. */
  least: Spending;
  /** The prompt plus the maximum output of the model. */
  most: Spending;
}

/**
 * Estimates the prompt with `estimateTokens`. If the last response used a cache, the part of the prompt that it shares
 * with this one is priced as read from the cache.
 */
export function estimateRequest({ model, context, options }: ModelRequest): RequestEstimate {
  const prompt = estimateTokens(context, model);
  const last = context.messages.findLast((message): message is AssistantMessage => message.role === "assistant");
  const usage = last && !isFailed(last) ? last.usage : undefined;
  const isCached = usage !== undefined && usage.cacheRead + usage.cacheWrite > 0;
  const cacheRead = isCached ? Math.min(prompt, usage.totalTokens) : 0;
  const counts = { input: prompt - cacheRead, cacheRead, output: 0 };
  const output = options.maxTokens ?? model.maxTokens;
  return { least: price(model, counts), most: price(model, { ...counts, output }) };
}

/** Returns the usage of a response, or an estimate if the provider reports none. */
export function spendingOf(response: AssistantMessage, request?: ModelRequest): Spending {
  const { usage, content } = response;
  if (usage.totalTokens > 0 || content.length === 0 || !request)
    return { tokens: usage.totalTokens, usd: usage.cost.total };
  const input = estimateTokens(request.context, request.model);
  const output = estimateTokens({ messages: [response] });
  return price(request.model, { input, cacheRead: 0, output });
}

function price(model: Model, counts: Pick<Usage, "input" | "cacheRead" | "output">): Spending {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage: Usage = { ...counts, cacheWrite: 0, totalTokens: 0, cost };
  return { tokens: counts.input + counts.cacheRead + counts.output, usd: calculateCost(model, usage).total };
}

function isFailed({ stopReason }: AssistantMessage): boolean {
  return stopReason === "error" || stopReason === "aborted";
}
