/** What a call may come to of which the provider has not told the end. */
import { mergeUsage } from "../assemble/merge-usage.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage, ErrorKind, Message, Usage } from "../types/message.js";
import type { Model } from "../types/model.js";
import { estimateTokens } from "../utils/estimate-tokens.js";

/** Failures before a request was made. */
const UNSENT: ReadonlySet<ErrorKind> = new Set(["config", "auth_missing"]);

/**
 * Whether the counts of a final message are the provider's last word: the answer is whole and was counted, or the provider
 * refused the request.
 */
export function isUsageComplete({ stopReason, usage, content, error }: AssistantMessage): boolean {
  if (stopReason !== "error" && stopReason !== "aborted") return usage.totalTokens > 0;
  const began = content.length > 0 || usage.totalTokens > 0;
  return !began && error !== undefined && (error.status !== undefined || UNSENT.has(error.kind));
}

/**
 * The counts that were told, and an estimate (see `estimateTokens`) of those that were not: the prompt where nothing was
 * said of it, and what streamed of the answer where that is more than was said. Reasoning that is not shown, and caching
 * that was not told of, are unknown.
 */
export function estimateUsage(model: Model, context: Context, message: AssistantMessage): Usage {
  const { usage } = message;
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const answered = estimateTokens({ messages: [withoutCounts(message)] });
  // The counts in the conversation are what a client says they are.
  const asked = (): number =>
    estimateTokens({ ...context, messages: context.messages.map((each) => withoutCounts(each)) }, model);
  return mergeUsage(model, usage, {
    input: prompt > 0 ? usage.input : asked(),
    output: Math.max(usage.output, answered),
  });
}

/** The counts of failed answers are not looked at. */
function withoutCounts(message: Message): Message {
  return message.role === "assistant" ? { ...message, stopReason: "error" } : message;
}
