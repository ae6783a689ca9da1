/** The default limit of a response, for apis that need one in the request. */
import { factsOf } from "../catalogue/compat/index.js";
import type { Context } from "../types/context.js";
import type { Message } from "../types/message.js";
import type { Model } from "../types/model.js";
import { isFailure } from "../utils/message-facts.js";
import { MIN_BUDGET_TOKENS, MIN_RESPONSE_TOKENS } from "./thinking.js";

/** Sent where neither the caller nor the model sets a limit. */
const UNKNOWN_MODEL_MAX_TOKENS = 4096;
/** The least room for a response. If the window has less, the server should say that the conversation is too long. */
const MIN_MAX_TOKENS = 1024;
/** The share of the window that stays free, because the size of the prompt is an estimate. */
const RESERVE = 1 / 64;
/** English text and code have 2.5 characters per token with the newest Claude, and more elsewhere; other scripts one or two. */
const ASCII_PER_TOKEN = 2.5;
/** An image at a common size, or a page or two of a document. */
const TOKENS_PER_FILE = 3000;
/** Arguments of tool calls come from a model, which may nest them without end. */
const MAX_DEPTH = 50;

/**
 * The model's own limit, or what its window leaves beside the prompt if that is less. Servers reject a request whose prompt
 * and limit together exceed the window.
 */
export function defaultMaxTokens(model: Model, context: Context): number {
  const wanted = model.maxTokens > 0 ? model.maxTokens : UNKNOWN_MODEL_MAX_TOKENS;
  if (!(model.contextWindow > 0)) return wanted;
  const usable = model.contextWindow * (1 - RESERVE);
  const reported = lastCount(context.messages) ?? Number.POSITIVE_INFINITY;
  if (usable - reported >= wanted) return wanted;
  // After messages were left out, the last count is too high.
  const prompt = Math.min(reported, sizeOf(context));
  return Math.min(wanted, Math.max(MIN_MAX_TOKENS, Math.floor(usable - prompt)));
}

/**
 * The limit of a request, and the thinking budget. Another budget makes the provider's cache of the messages useless, so it
 * stays above a limit that the caller did not set where the model allows that, and gets smaller by halves elsewhere. 0 if
 * there is no room to think.
 */
export function planOutput(
  {
    model,
    context,
    options,
  }: {
    model: Model;
    context: Context;
    options: { maxTokens?: number | undefined; interleavedThinking?: boolean | undefined };
  },
  budget: number,
): { maxTokens: number; budget: number } {
  if (options.maxTokens !== undefined) return { maxTokens: options.maxTokens, budget };
  const maxTokens = defaultMaxTokens(model, context);
  if (maxTokens > budget) return { maxTokens, budget };
  const interleaves = options.interleavedThinking !== false && (context.tools?.length ?? 0) > 0;
  const hasRoom = maxTokens >= MIN_BUDGET_TOKENS + MIN_RESPONSE_TOKENS;
  if (interleaves && hasRoom && factsOf(model).budgetMayExceedLimit) return { maxTokens, budget };
  let fitted = budget;
  while (fitted >= MIN_BUDGET_TOKENS && fitted + MIN_RESPONSE_TOKENS > maxTokens) fitted = Math.floor(fitted / 2);
  return { maxTokens, budget: fitted < MIN_BUDGET_TOKENS ? 0 : fitted };
}

/** The tokens that the last successful response reported, and an estimate of what came after it. Undefined if none has reported any. */
function lastCount(messages: readonly Message[]): number | undefined {
  // Stored transcripts may lack the usage.
  const countOf = (message: Message): number =>
    message?.role === "assistant" && !isFailure(message.stopReason) ? (message.usage?.totalTokens ?? 0) : 0;
  const last = messages.findLastIndex((message) => countOf(message) > 0);
  const counted = messages[last];
  return (
    counted && messages.slice(last + 1).reduce((sum, message) => sum + tokensOf(message?.content), countOf(counted))
  );
}

function sizeOf({ systemPrompt = "", tools, messages }: Context): number {
  const fixed = tokensOf(systemPrompt) + (tools && tools.length > 0 ? tokensOf(JSON.stringify(tools)) : 0);
  return messages.reduce((sum, { content }) => sum + tokensOf(content), fixed);
}

/** An upper estimate, in one pass over the text. Small values of other types do not count. */
function tokensOf(value: unknown, depth = 0): number {
  if (typeof value === "string") return tokensOfText(value);
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return 0;
  if ("mimeType" in value) return TOKENS_PER_FILE;
  let sum = 1;
  if (Array.isArray(value)) for (const part of value) sum += tokensOf(part, depth + 1);
  // Of an object with very many keys, its list of values takes the engine several times as long as reading one after the other.
  else for (const key of Object.keys(value)) sum += tokensOf(Reflect.get(value, key), depth + 1);
  return sum;
}

function tokensOfText(text: string): number {
  let ascii = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) < 128) ascii++;
  return Math.ceil(ascii / ASCII_PER_TOKEN) + text.length - ascii;
}
