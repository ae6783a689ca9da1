/**
 * Builds messages from responses that do not come through an adapter.
 *
 * @module pi-ai/assemble
 */

export { AssistantMessageBuilder } from "./message/assistant-message-builder.js";
export type { BuilderOptions } from "./message/builder-options.js";
export type { BlockFields, BlockKey, BlockStart, Failure, MessageSink, UsageCounts } from "./message/message-sink.js";
export { WIRE_NAMES } from "./server/wire-names.js";
export type { MessageFacts } from "./types/message.js";
