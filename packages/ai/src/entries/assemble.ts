/**
 * The assembler of answers, for who reads them off a wire of its own and not through an adapter.
 *
 * @module pi-ai/assemble
 */
export { AssistantMessageBuilder, type BuilderOptions } from "../assemble/assistant-message-builder.js";
export type { Failure } from "../assemble/failure.js";
export type { BlockFields, BlockKey, BlockStart, MessageSink, UsageCounts } from "../assemble/message-sink.js";
