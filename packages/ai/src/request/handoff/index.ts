/** A conversation adapted to the model that continues it. */
export { inputKindOf } from "./input-kind.js";
export { foreignContent, isSameModel, needsForeignContent } from "./late-content.js";
export { describeFile, EARLIER_CONVERSATION, RESULTS_READ } from "./portable-content.js";
export { NO_RESULT, type ToolCallIdRule, transformMessages } from "./transform-messages.js";
export { unknownBlock } from "./unknown-block.js";
export { type PlacedItem, readWireItems, type WireItem, writeWireItems } from "./wire-items.js";
