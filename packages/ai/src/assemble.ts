/**
 * Builds messages from responses that do not come through an adapter.
 *
 * @module pi-ai/assemble
 */

export type { BuilderOptions } from "./message/assistant-message-builder.js";
/** The builder without the parser of unfinished arguments, which the caller loads before the first tool call. */
export { AssistantMessageBuilder as LateMessageBuilder } from "./message/assistant-message-builder.js";
export type { BlockFields, BlockKey, BlockStart, Failure, MessageSink, UsageCounts } from "./message/message-sink.js";
export { StandaloneBuilder as AssistantMessageBuilder } from "./message/standalone-builder.js";
export { loadArgumentParser } from "./message/tool-arguments.js";
export { WIRE_NAMES } from "./server/proxy-event.js";
export type { MessageFacts } from "./types/message.js";
