/** Estimates the usage of a request whose final counts the provider did not send. */
import { mergeUsage } from "../message/index.js";
import { estimateMessageTokens, estimateTokens } from "../tokens/index.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage, ErrorKind, Message, Usage } from "../types/message.js";
import type { Model } from "../types/model.js";
import { priceAt } from "../utils/dated-price.js";
import { isFailure } from "../utils/message-facts.js";
import type { LimitedRequest } from "./billing.js";
import { Problem } from "./problem.js";

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
