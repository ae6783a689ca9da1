/** Measures a conversation: what providers counted, and an estimate of what came since. */
import type { AssistantMessage, Message, Model } from "pi-ai";
import { estimateMessageTokens, findServerCompaction } from "pi-ai/count";
import type { AgentMessage } from "../types/message.js";
import type { PlacedRecord } from "./compaction-message.js";
import { buildView } from "./context-view.js";

/** How far an estimate may be off: dense JSON and many scripts have a few characters per token, not four. */
const SCALE = { lowest: 0.5, highest: 4 };

/** The estimates of messages, which do not change. */
const known = new WeakMap<AgentMessage, number>();

/** The estimated tokens of a message in a request. A failed response is not sent. */
export function tokensOf(message: AgentMessage): number {
  const found = known.get(message);
  if (found !== undefined) return found;
  const tokens = estimate(message);
  known.set(message, tokens);
  return tokens;
}

export function sumTokens(messages: readonly AgentMessage[]): number {
  return messages.reduce((sum, message) => sum + tokensOf(message), 0);
}

/** The size of a conversation as requests see it. */
export interface Measurement {
  /** The tokens of the next request. Includes the system prompt and the tools once a response has reported its usage. */
  tokens: number;
  /** The provider's count in relation to the estimate; 1 if there is no count. */
  scale: number;
}

/** A conversation to measure. */
export interface MeasureInput {
  messages: readonly AgentMessage[];
  /** The messages as requests see them. */
  view: readonly AgentMessage[];
  /** The latest record of a compaction. */
  found: PlacedRecord | undefined;
  /** The model in use: what its own provider has compacted is not sent. */
  model: Model;
  /** The `scale` of the last measurement. */
  lastScale: number;
}

/**
 * Measures a request. The count of a response from before the latest compaction says nothing about the conversation as it
 * is now; its relation to the estimate then corrects the estimate.
 */
export function measure({ messages, view, found, model, lastScale }: MeasureInput): Measurement {
  const start = findServerCompaction(view, model);
  const sent = view.slice(start);
  const estimate = { tokens: sumTokens(sent) * lastScale, scale: lastScale };
  const position = messages.findLastIndex(hasUsage);
  const response = messages[position];
  if (!hasUsage(response) || position < (found?.position ?? 0) || !sent.includes(response)) return estimate;
  const { totalTokens } = response.usage;
  const later = sumTokens(buildView(messages.slice(position + 1)));
  // Some providers report the prompt as it was before they compacted it.
  if (start > 0 && response === sent[0])
    return { ...estimate, tokens: Math.min(estimate.tokens, totalTokens + later * lastScale) };
  const estimated = Math.max(1, sumTokens(sent) - later);
  const scale = Math.min(SCALE.highest, Math.max(SCALE.lowest, totalTokens / estimated));
  // A count that is far too small is not that of the whole request.
  return { tokens: Math.max(totalTokens, estimated * SCALE.lowest) + later * scale, scale };
}

function estimate(message: AgentMessage): number {
  if (message.role === "assistant") {
    if (message.stopReason === "error" || message.stopReason === "aborted") return 0;
    return Array.isArray(message.content) ? estimateMessageTokens(message) : 0;
  }
  if (message.role === "user" || message.role === "toolResult")
    return typeof message.content === "string" || Array.isArray(message.content) ? estimateMessageTokens(message) : 0;
  // An application's own message: `convertToLlm` decides what becomes of it.
  return Math.ceil(JSON.stringify(message).length / 4);
}

function hasUsage(message: AgentMessage | Message | undefined): message is AssistantMessage {
  if (message?.role !== "assistant" || message.stopReason === "error" || message.stopReason === "aborted") return false;
  return message.usage?.totalTokens > 0;
}
