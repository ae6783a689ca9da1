/** The most that a request may cost, and an estimate of what it used if the provider did not say so. */

import { supportsOutputLimit } from "../catalogue/compat/index.js";
import { mergeUsage } from "../message/index.js";
import { estimateMessageTokens, estimateTokens } from "../tokens/index.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage, ErrorKind, Message, Usage } from "../types/message.js";
import type { Model, ThinkingBudgets } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { priceAt } from "../utils/dated-price.js";
import { isFailure } from "../utils/message-facts.js";
import { Problem } from "./problem.js";

const BUDGET_STEPS = ["minimal", "low", "medium", "high"] as const satisfies (keyof ThinkingBudgets)[];

export interface LimitedRequest {
  model: Model;
  options: SimpleStreamOptions;
}

/**
 * Limits the response and its reasoning together. Adapters never request more than the model's own `maxTokens`, even if
 * they add a thinking budget to it. So they receive a copy of the model with the limit as its `maxTokens`.
 *
 * @throws Problem 403 for a model whose api has no field for the limit
 */
export function limitOutput({ model, options }: LimitedRequest, limit: number | undefined): LimitedRequest {
  if (limit === undefined) return { model, options };
  if (!supportsOutputLimit(model)) {
    throw new Problem(403, `The model ${model.provider}/${model.id} has no output limit, and this server requires one`);
  }
  const { thinkingBudgets } = options;
  return {
    model: { ...model, maxTokens: model.maxTokens > 0 ? Math.min(model.maxTokens, limit) : limit },
    options: {
      ...options,
      maxTokens: Math.min(options.maxTokens ?? limit, limit),
      ...(thinkingBudgets ? { thinkingBudgets: limitBudgets(thinkingBudgets, limit) } : {}),
    },
  };
}

function limitBudgets(budgets: ThinkingBudgets, limit: number): ThinkingBudgets {
  const limited: ThinkingBudgets = {};
  for (const step of BUDGET_STEPS) {
    const budget = budgets[step];
    if (budget !== undefined) limited[step] = Math.min(budget, limit);
  }
  return limited;
}

// Estimates the usage of a request whose final counts the provider did not send.

/** Failures before a request was sent. */
const UNSENT: ReadonlySet<ErrorKind> = new Set(["config", "auth_missing"]);

/**
 * Whether the counts of a final message are final: the response is complete and was counted, or the provider rejected
 * the request.
 */
export function isUsageComplete({ stopReason, usage, content, error }: AssistantMessage): boolean {
  if (!isFailure(stopReason)) return usage.totalTokens > 0;
  const began = content.length > 0 || usage.totalTokens > 0;
  return !began && error !== undefined && (error.status !== undefined || UNSENT.has(error.kind));
}

/**
 * The counts that the provider sent, and an estimate (see `estimateTokens`) of the others: of the prompt if its count
 * is missing, and of the streamed content if it exceeds its count. Hidden reasoning and uncounted caching stay unknown.
 */
export function estimateUsage({ model, context, options }: Prompt, message: AssistantMessage): Usage {
  const { usage, timestamp } = message;
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const streamed = estimateContent(model, message);
  return mergeUsage({ cost: priceAt(model.cost, timestamp) }, usage, {
    input: prompt > 0 ? usage.input : estimatePrompt({ model, context, options }),
    output: Math.max(usage.output, streamed),
  });
}

/** A request as the client has sent it. */
export interface Prompt extends LimitedRequest {
  context: Context;
}

/** Without a window in the catalogue. */
const DEFAULT_WINDOW = 200_000;

/**
 * Estimates a prompt without the counts in its conversation, which come from the client. A file whose size is unknown counts as
 * the context window of the model, the most that the provider can charge for it.
 */
function estimatePrompt({ model, context, options }: Prompt): number {
  const messages = context.messages.map((each) => withoutCounts(each));
  const unknownFileTokens = model.contextWindow > 0 ? model.contextWindow : DEFAULT_WINDOW;
  const { schema } = options.outputFormat ?? {};
  const format = schema === undefined ? [] : [{ name: "", description: "", parameters: schema }];
  return estimateTokens({ ...context, messages, tools: [...(context.tools ?? []), ...format] }, model, {
    unknownFileTokens,
  });
}

/** @throws Problem 413 for a prompt that is estimated at more than the limit */
export function checkInput(prompt: Prompt, limit: number | undefined): void {
  if (limit === undefined) return;
  const tokens = estimatePrompt(prompt);
  if (tokens > limit) throw new Problem(413, `The prompt has about ${tokens} tokens; this server allows ${limit}`);
}

/** Without the overhead of a message, which the model does not generate. */
function estimateContent(model: Model, message: AssistantMessage): number {
  const empty: AssistantMessage = { ...message, content: [{ type: "text", text: "" }] };
  return Math.max(0, estimateMessageTokens(message, model) - estimateMessageTokens(empty, model));
}

/** `estimateTokens` ignores the counts of failed messages. */
function withoutCounts(message: Message): Message {
  return message.role === "assistant" ? { ...message, stopReason: "error" } : message;
}
