/**
 * The assembler of answers, for who reads them off a wire of its own and not through an adapter.
 *
 * @module
 */
export { AssistantMessageBuilder, type BuilderOptions, type Failure } from "./assemble/assistant-message-builder.js";
export type { BlockFields, BlockKey, BlockStart, MessageSink, UsageCounts } from "./assemble/message-sink.js";
