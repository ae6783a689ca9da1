/**
 * For products that embed an agent: replies instead of events. Needs no other part of the package at run time.
 *
 * @module pi-agent/embed
 */

export type { ChunkerOption } from "./block-chunker.js";
export { type BlockChunker, type BlockChunkerOptions, createBlockChunker } from "./block-chunker.js";
export type { BlockReplyCallback } from "./block-replies.js";
export {
  type BlockTagOptions,
  type BlockTagState,
  createBlockTagState,
  type StripOptions,
  stripBlockTags,
} from "./block-tags.js";
export type { BreakPreference } from "./break-finder.js";
export type { CallbackOptions, EmbedLog } from "./callbacks.js";
export {
  isMessagingToolDuplicate,
  isMessagingToolDuplicateNormalized,
  normalizeTextForComparison,
} from "./duplicate-replies.js";
export type {
  EmbedCompactionEnd,
  EmbedCompactionEvent,
  EmbedCompactionStart,
  EmbedEvent,
  EmbedSource,
} from "./embed-event.js";
export { createEmbedEventHandler, type EmbedEventContext } from "./event-handler.js";
export { createInlineCodeState, type InlineCodeState } from "./inline-code.js";
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
} from "./options.js";
export type { DedupeOptions, OutboundSend } from "./outbound-messages.js";
export type { PartialReply, PartialReplyCallback, ReasoningCallback, ReasoningMode } from "./partial-replies.js";
export {
  createReplyDirectiveAccumulator,
  type ReplyDirectiveAccumulator,
  type ReplyDirectiveCodec,
  type ReplyPayload,
} from "./reply-directives.js";
export type { UsageTotals } from "./subscribe-embedded.js";
export { type EmbedSubscription, subscribeEmbedded } from "./subscribe-embedded.js";
export { mergeTextContent, type TextEvent } from "./text-accumulator.js";
