/** Estimates what a request will use, before it is sent. */
import type { AssistantMessage, Model, Usage } from "pi-ai";
import { calculateCost, createAssistantMessage, estimateTokens } from "pi-ai/call";
import type { ModelRequest } from "../types/model-request.js";

/** Tokens, and US dollars at the catalogue's price. */
export interface Spending {
  tokens: number;
  usd: number;
}

/** What a request uses at least, and at most. */
export interface RequestEstimate {
  /** The prompt. */
  least: Spending;
  /** The prompt and all the output that the model may generate. */
  most: Spending;
}

/**
 * The prompt is estimated by `estimateTokens`. What the last response already contained is priced as read from the cache if
 * that response used one.
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

/** What a response used. A provider that reports no usage is estimated. */
export function spendingOf(response: AssistantMessage, request?: ModelRequest): Spending {
  const { usage, content } = response;
  if (usage.totalTokens > 0 || content.length === 0 || !request)
    return { tokens: usage.totalTokens, usd: usage.cost.total };
  const input = estimateTokens(request.context, request.model);
  const output = estimateTokens({ messages: [response] });
  return price(request.model, { input, cacheRead: 0, output });
}

function price(model: Model, counts: Pick<Usage, "input" | "cacheRead" | "output">): Spending {
  const usage: Usage = { ...createAssistantMessage(model).usage, ...counts };
  return { tokens: counts.input + counts.cacheRead + counts.output, usd: calculateCost(model, usage).total };
}

function isFailed({ stopReason }: AssistantMessage): boolean {
  return stopReason === "error" || stopReason === "aborted";
}
