/** Estimates the usage of a request whose final counts the provider did not send. */
import { mergeUsage } from "../assemble/merge-usage.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage, ErrorKind, Message } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { Usage } from "../types/usage.js";
import { estimateMessageTokens, estimateTokens } from "../utils/estimate-tokens.js";

/** Failures before a request was sent. */
const UNSENT: ReadonlySet<ErrorKind> = new Set(["config", "auth_missing"]);

/**
 * Whether the counts of a final message are final: the response is complete and was counted, or the provider rejected
 * the request.
 */
export function isUsageComplete({ stopReason, usage, content, error }: AssistantMessage): boolean {
  if (stopReason !== "error" && stopReason !== "aborted") return usage.totalTokens > 0;
  const began = content.length > 0 || usage.totalTokens > 0;
  return !began && error !== undefined && (error.status !== undefined || UNSENT.has(error.kind));
}

/**
 * The counts that the provider sent, and an estimate (see `estimateTokens`) of the others: of the prompt if its count
 * is missing, and of the streamed content if it exceeds its count. Hidden reasoning and uncounted caching stay unknown.
 */
export function estimateUsage(model: Model, context: Context, message: AssistantMessage): Usage {
  const { usage } = message;
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const streamed = estimateContent(model, message);
  // Counts in the conversation come from the client, so they are not used.
  const estimatePrompt = (): number =>
    estimateTokens({ ...context, messages: context.messages.map((each) => withoutCounts(each)) }, model);
  return mergeUsage(model, usage, {
    input: prompt > 0 ? usage.input : estimatePrompt(),
    output: Math.max(usage.output, streamed),
  });
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
