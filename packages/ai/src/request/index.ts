/** The conversation as the caller gives it, checked and completed, and adapted to the model that continues it. */
export { checkOptions } from "./check-options.js";
export { inputKindOf } from "./handoff/input-kind.js";
export { foreignContent, isSameModel, needsForeignContent } from "./handoff/late-content.js";
export { describeFile, EARLIER_CONVERSATION, RESULTS_READ, unknownBlock } from "./handoff/replayed-block.js";
export { NO_RESULT, type ToolCallIdRule, transformMessages } from "./handoff/transform-messages.js";
export { type PlacedItem, readWireItems, type WireItem, writeWireItems } from "./handoff/wire-items.js";
export { normalizeContext, unreadFieldsOf } from "./normalize-context.js";
export { resolvePointer } from "./schema/schema-refs.js";
