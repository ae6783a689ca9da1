/** Measures a conversation: what the provider counted for the last response, plus an estimate of the messages since. */
import type { AssistantMessage, Message, Model } from "pi-ai";
import { isFailure } from "pi-ai/call";
import { estimateMessageTokens, findServerCompaction } from "pi-ai/count";
import type { AgentMessage } from "../../types/message.js";
import { buildView, type PlacedRecord } from "./context-view.js";

/**
 * How far the count of a provider may be from the estimate of the messages, as a factor. What it counts beyond that is not in
 * the messages: it is the system prompt and the tools.
 */
const SCALE = { lowest: 0.5, highest: 1.5 };

/** The estimates of messages. They change only with the model, so one for each message is enough. */
const known = new WeakMap<AgentMessage, { id: string; provider: string; tokens: number }>();

/** Estimates the tokens of a message in a request to a model; 0 for a failed response, which is not sent. */
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

/** The parts of a model that decide how the tokens of a message are estimated. */
type CountedModel = Pick<Model, "id" | "provider" | "input">;

/** How the counts of a provider relate to the estimates. */
export interface Correction {
  /** How many tokens the provider counts for one estimated token; 1 if there is no count. */
  scale: number;
  /** The tokens that every request has in addition to its messages; 0 if there is no count. */
  fixed: number;
}

/** The size of a request. */
export interface Measurement extends Correction {
  /** The tokens of the next request. Includes the system prompt and the tools once a response has reported its usage. */
  tokens: number;
}

/** A conversation to measure. */
interface MeasureInput {
  messages: readonly AgentMessage[];
  /** The messages of the next request. */
  view: readonly AgentMessage[];
  /** The latest record of a compaction. */
  found: PlacedRecord | undefined;
  /** The model in use. It decides how text is counted, and from which message on its provider reads the conversation. */
  model: Model;
  /** The correction of the previous measurement, for a conversation without a usable count. */
  last: Correction;
}

/**
 * Measures the next request. A count from before the latest compaction does not apply to the conversation as it is now. Then
 * the messages are estimated, corrected by how far the estimate was off before.
 */
export function measure({ messages, view, found, model, last }: MeasureInput): Measurement {
  const start = findServerCompaction(view, model);
  const sent = view.slice(start);
  const whole = sumTokens(sent, model);
  const estimate = { ...last, tokens: last.fixed + whole * last.scale };
  const position = messages.findLastIndex(hasUsage);
  const response = messages[position];
  if (!hasUsage(response) || position < (found?.position ?? 0) || !sent.includes(response)) return estimate;
  const totalTokens = response.usage.contextTokens ?? response.usage.totalTokens;
  const later = sumTokens(buildView(messages.slice(position + 1)), model);
  // Some providers report the size of the prompt before they compacted it.
  if (start > 0 && response === sent[0])
    return { ...estimate, tokens: Math.min(estimate.tokens, totalTokens + later * last.scale) };
  if (response.model === model.id && response.provider === model.provider) {
    if (totalTokens < (whole - later) * SCALE.lowest && isOfShorterRequest(response, sent)) return estimate;
    const correction = compare(totalTokens, whole - later);
    // A count that is far too small does not include the whole request.
    const counted = Math.max(totalTokens, (whole - later) * SCALE.lowest);
    return { ...correction, tokens: counted + later * correction.scale };
  }
  // Another model counted with its own tokenizer.
  const other = { id: response.model, provider: response.provider, input: model.input };
  const correction = compare(totalTokens, sumTokens(sent.slice(0, sent.indexOf(response) + 1), other));
  return { ...correction, tokens: correction.fixed + whole * correction.scale };
}

/**
 * Whether the request of a response left out messages that are in the conversation again, because a compaction was undone.
 * An earlier, larger request of the model shows that. If the provider itself cleared messages, its count is right.
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
    if (isFailure(message.stopReason)) return 0;
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
  if (message?.role !== "assistant" || isFailure(message.stopReason)) return false;
  return message.usage?.totalTokens > 0;
}
