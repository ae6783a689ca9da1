/**
 * Asks for a summary at the end of the conversation itself: the request begins with the same tools, system prompt and messages
 * as the one before, so the provider reads them from its cache.
 */
import type { AssistantMessage, Context, Message, Model, SimpleStreamOptions } from "pi-ai";
import { isFailure, textOf } from "pi-ai/call";
import { isContextOverflow } from "pi-ai/count";
import type { ModelRequest, SideRequest } from "../../types/hooks.js";
import type { AgentMessage } from "../../types/message.js";
import { DEFAULT_PROMPT, MOST_TOKENS } from "./summarize.js";

const TASK =
  "Do not continue the conversation, and call no tools. Write only a summary of it, from which you can continue: it will replace all but the latest messages.";

/**
 * Whether the provider may have cached the conversation, and has room for a summary: the latest response came from this
 * model. Another one would have to read the whole, while a request of its own has shortened results.
 */
export function canAskInPlace({
  messages,
  model,
  tokens,
}: {
  messages: readonly AgentMessage[];
  model: Model;
  tokens: number;
}): boolean {
  const last = messages.findLast((message) => message.role === "assistant" && !isFailure(message.stopReason));
  if (last?.role !== "assistant" || last.model !== model.id || last.provider !== model.provider) return false;
  return tokens + Math.min(MOST_TOKENS, model.contextWindow >> 3) <= model.contextWindow;
}

/** How the model is asked. */
interface Instructions {
  prompt: string | undefined;
  requestOptions: SimpleStreamOptions | undefined;
}

/**
 * The messages up to the latest response and its results. A prompt that nobody has answered is not cached, its first image costs
 * the cache of all before it, and it stays as it is: behind the summary, or beside it.
 */
function answeredMessages({ messages }: Context): Message[] {
  return messages.slice(0, messages.findLastIndex(({ role }) => role === "assistant" || role === "toolResult") + 1);
}

/**
 * The request of a turn with the instructions as its last message. Its limit is that of the turn: a smaller one could change the
 * budget for thinking, and with it the cache. Undefined if its options ask for something else than a text.
 */
export function requestInPlace(
  { model, context, options }: ModelRequest,
  { prompt = DEFAULT_PROMPT, requestOptions }: Instructions,
): SideRequest | undefined {
  const { signal: _signal, ...own } = options;
  if (own.outputFormat || own.contextManagement || (own.toolChoice ?? "auto") !== "auto") return undefined;
  const task = { role: "user" as const, content: `${TASK}\n\n${prompt}`, timestamp: 0 };
  return {
    model,
    context: { ...context, messages: [...answeredMessages(context), task] },
    options: { ...own, ...requestOptions },
  };
}

/**
 * The summary; undefined if the request was too long, or if the model called a tool instead, wrote nothing or stopped early.
 *
 * @throws Error if the request failed otherwise: another one would fail, too
 */
export function readSummaryInPlace(response: AssistantMessage, { contextWindow }: Model): string | undefined {
  const { content, stopReason, errorMessage } = response;
  if (isContextOverflow(response, contextWindow)) return undefined;
  if (isFailure(stopReason)) throw new Error(errorMessage ?? "The request failed");
  if (stopReason !== "stop" || content.some(({ type }) => type === "toolCall")) return undefined;
  return textOf(content, "\n").trim() || undefined;
}
