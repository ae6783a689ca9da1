/** From calls on a sink to a message and its events, and from what callers write to the messages of a context. */
export { addUsage } from "./add-usage.js";
export { AssistantMessageBuilder } from "./assistant-message-builder.js";
export { createToolCallId, wholeArguments } from "./blocks.js";
export { calculateCost, tokenCount } from "./cost.js";
export { createAssistantMessage, emptyUsage } from "./empty-message.js";
export type { EventReader } from "./event-stream.js";
export { cleanText, toFailure } from "./failure.js";
export { mergeUsage } from "./merge-usage.js";
export type {
  BlockFields,
  BlockKey,
  BlockOf,
  BlockStart,
  Failure,
  MessageSink,
  ResponseFacts,
  SettableFields,
  UsageCounts,
} from "./message-sink.js";
export { checkContents, normalizeContext } from "./normalize-context.js";
export { reportedCost, type WirePrice } from "./reported-cost.js";
export { ResponseCompletion } from "./response-completion.js";
export { AssistantMessageEventStream } from "./response-stream.js";
export { unreadFieldsOf } from "./unread-fields.js";
