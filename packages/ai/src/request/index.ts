/** The conversation, checked, and adapted to the model that continues it. */

export { inputKindOf, plainType } from "../utils/input-kind.js";
export { closeResponse, fillBlankEnd } from "./blank-end.js";
export type { PlacedChanges } from "./changes/place-changes.js";
export { addsFinds, addsTools, isSystemMessage, type PlacedMessage, textOfSystem } from "./changes/system-messages.js";
export { checkOptions } from "./check-options.js";
export type { ContextManagementRows } from "./context-management/management-rows.js";
export { withoutDeferral } from "./deferred-tools.js";
export type { FileRow } from "./handoff/foreign-files.js";
export { isSameModel } from "./handoff/same-model.js";
export { noteStrayResults } from "./handoff/stray-results.js";
export { NO_RESULT, type ToolCallIdRule, transformMessages } from "./handoff/transform-messages.js";
export { type PlacedItem, readWireItems, type WireItem, writeWireItems } from "./handoff/wire-items.js";
export { describeFile, EARLIER_CONVERSATION, RESULTS_READ, unknownBlock } from "./replayed-block.js";
export { SchemaBudget } from "./schema/index.js";
export type { ServerToolRows } from "./server-tools/server-tool-rows.js";
export { fitTools } from "./tools/fit-tools.js";
export type { GivenNames } from "./tools/given-names.js";
