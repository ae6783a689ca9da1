/**
 * For products that embed an agent: replies instead of events. Needs no other part of the package at run time.
 *
 * @module pi-agent/embed
 */

export type { ChunkerOption } from "../embed/block-chunker.js";
export {
  type BlockChunker,
  type BlockChunkerOptions,
  type BreakPreference,
  createBlockChunker,
} from "../embed/block-chunker.js";
export type { BlockReplyCallback } from "../embed/block-replies.js";
export {
  type BlockTagOptions,
  type BlockTagState,
  createBlockTagState,
  createInlineCodeState,
  type InlineCodeState,
  type StripOptions,
  stripBlockTags,
} from "../embed/block-tags.js";
export type { CallbackOptions, EmbedLog } from "../embed/callbacks.js";
export type {
  EmbedCompactionEnd,
  EmbedCompactionEvent,
  EmbedCompactionStart,
  EmbedEvent,
  EmbedSource,
} from "../embed/event-handler.js";
export { createEmbedEventHandler, type EmbedEventContext } from "../embed/event-handler.js";
export type {
  AfterToolInfo,
  ClassifyOutbound,
  EmbedOptions,
  EmbedReplyOptions,
  EmbedRunOptions,
  EmbedToolOptions,
  ToolEndInfo,
  ToolErrorInfo,
  ToolMeta,
  ToolStartInfo,
  ToolUpdateInfo,
} from "../embed/options.js";
export type { DedupeOptions, OutboundSend } from "../embed/outbound-messages.js";
export {
  isMessagingToolDuplicate,
  isMessagingToolDuplicateNormalized,
  normalizeTextForComparison,
} from "../embed/outbound-messages.js";
export type { PartialReply, PartialReplyCallback } from "../embed/partial-replies.js";
export type { ReasoningCallback, ReasoningMode } from "../embed/reasoning-replies.js";
export {
  createReplyDirectiveAccumulator,
  type ReplyDirectiveAccumulator,
  type ReplyDirectiveCodec,
  type ReplyPayload,
} from "../embed/reply-directives.js";
export { type EmbedSubscription, subscribeEmbedded } from "../embed/subscribe-embedded.js";
export { mergeTextContent, type TextEvent } from "../embed/text-accumulator.js";
export type { UsageTotals } from "../embed/usage-totals.js";
