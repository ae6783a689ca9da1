/** Measures a conversation: what providers counted, and an estimate of what came since. */
import type { AssistantMessage, Message, Model } from "pi-ai";
import { estimateMessageTokens, findServerCompaction } from "pi-ai/count";
import type { AgentMessage } from "../types/message.js";
import type { PlacedRecord } from "./compaction-message.js";
import { buildView } from "./context-view.js";

/**
 * How far the estimate of a family may be off. What a provider counts beyond that is not in the messages: the system prompt
 * and the tools.
 */
const SCALE = { lowest: 0.5, highest: 1.5 };

/** The estimates of messages, which change only with the model. */
const known = new WeakMap<AgentMessage, { id: string; provider: string; tokens: number }>();

/** The estimated tokens of a message in a request to a model. A failed response is not sent. */
export function tokensOf(message: AgentMessage, model: CountedModel): number {
  const { id, provider } = model;
  const found = known.get(message);
  if (found?.id === id && found.provider === provider) return found.tokens;
  const tokens = estimate(message, model);
  known.set(message, { id, provider, tokens });
  return tokens;
}

export function sumTokens(messages: readonly AgentMessage[], model: CountedModel): number {
  return messages.reduce((sum, message) => sum + tokensOf(message, model), 0);
}

/** What decides how the tokens of a message are estimated. */
export type CountedModel = Pick<Model, "id" | "provider" | "input">;

/** How a count of the provider relates to the estimate of the messages. */
export interface Correction {
  /** Tokens of the provider for one estimated token; 1 if there is no count. */
  scale: number;
  /** The tokens that every request has beside its messages; 0 if there is no count. */
  fixed: number;
}

/** The size of a conversation as requests see it. */
export interface Measurement extends Correction {
  /** The tokens of the next request. Includes the system prompt and the tools once a response has reported its usage. */
  tokens: number;
}

/** A conversation to measure. */
export interface MeasureInput {
  messages: readonly AgentMessage[];
  /** The messages as requests see them. */
  view: readonly AgentMessage[];
  /** The latest record of a compaction. */
  found: PlacedRecord | undefined;
  /** The model in use: it decides how text counts, and what its own provider has compacted is not sent. */
  model: Model;
  /** That of the last measurement. */
  last: Correction;
}

/**
 * Measures a request. The count of a response from before the latest compaction says nothing about the conversation as it
 * is now; its relation to the estimate then corrects the estimate.
 */
export function measure({ messages, view, found, model, last }: MeasureInput): Measurement {
  const start = findServerCompaction(view, model);
  const sent = view.slice(start);
  const whole = sumTokens(sent, model);
  const estimate = { ...last, tokens: last.fixed + whole * last.scale };
  const position = messages.findLastIndex(hasUsage);
  const response = messages[position];
  if (!hasUsage(response) || position < (found?.position ?? 0) || !sent.includes(response)) return estimate;
  const { totalTokens } = response.usage;
  const later = sumTokens(buildView(messages.slice(position + 1)), model);
  // Some providers report the prompt as it was before they compacted it.
  if (start > 0 && response === sent[0])
    return { ...estimate, tokens: Math.min(estimate.tokens, totalTokens + later * last.scale) };
  if (response.model === model.id && response.provider === model.provider) {
    if (totalTokens < (whole - later) * SCALE.lowest && isOfShorterRequest(response, sent)) return estimate;
    const correction = compare(totalTokens, whole - later);
    // A count that is far too small is not that of the whole request.
    const counted = Math.max(totalTokens, (whole - later) * SCALE.lowest);
    return { ...correction, tokens: counted + later * correction.scale };
  }
  // Another model counted with its own tokenizer.
  const other = { id: response.model, provider: response.provider, input: model.input };
  const correction = compare(totalTokens, sumTokens(sent.slice(0, sent.indexOf(response) + 1), other));
  return { ...correction, tokens: correction.fixed + whole * correction.scale };
}

/**
 * Whether an earlier request of the model was larger, so that this one left out messages: those of a compaction that was
 * undone since. A conversation that the provider cleared itself is as small as it says.
 */
function isOfShorterRequest(response: AssistantMessage, sent: readonly AgentMessage[]): boolean {
  if (response.diagnostics?.some(({ type }) => type === "context_edits")) return false;
  return sent.some(
    (other) =>
      hasUsage(other) &&
      other.model === response.model &&
      other.provider === response.provider &&
      other.usage.totalTokens > response.usage.totalTokens,
  );
}

function compare(counted: number, estimated: number): Correction {
  const scale = Math.min(SCALE.highest, Math.max(SCALE.lowest, counted / Math.max(1, estimated)));
  return { scale, fixed: Math.max(0, counted - estimated * scale) };
}

function estimate(message: AgentMessage, model: CountedModel): number {
  if (message.role === "assistant") {
    if (message.stopReason === "error" || message.stopReason === "aborted") return 0;
    return Array.isArray(message.content) ? estimateMessageTokens(message, model) : 0;
  }
  if (message.role === "user" || message.role === "toolResult")
    return typeof message.content === "string" || Array.isArray(message.content)
      ? estimateMessageTokens(message, model)
      : 0;
  // An application's own message: `convertToLlm` decides what becomes of it.
  return Math.ceil(JSON.stringify(message).length / 4);
}

function hasUsage(message: AgentMessage | Message | undefined): message is AssistantMessage {
  if (message?.role !== "assistant" || message.stopReason === "error" || message.stopReason === "aborted") return false;
  return message.usage?.totalTokens > 0;
}
