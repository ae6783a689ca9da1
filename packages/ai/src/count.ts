/**
 * Counts the tokens of a conversation, and detects that it no longer fits.
 *
 * @module pi-ai/count
 */

export { bindsThinking } from "./catalogue/compat/families.js";
export { addUsage } from "./message/add-usage.js";
export { findServerCompaction } from "./request/handoff/transform-messages.js";
export { countTokens, type TokenCount } from "./tokens/count-tokens.js";
export { type EstimateOptions, estimateMessageTokens, estimateTokens } from "./tokens/estimate-tokens.js";
export { isContextOverflow } from "./utils/overflow.js";
