/**
 * Counts the tokens of a conversation, and detects that it no longer fits.
 *
 * @module pi-ai/count
 */
export { addUsage } from "../assemble/add-usage.js";
export { bindsThinking } from "../compat/claude-families.js";
export { countTokens, type TokenCount } from "../count/count-tokens.js";
export { findServerCompaction } from "../handoff/transform-messages.js";
export { estimateMessageTokens, estimateTokens } from "../utils/estimate-tokens.js";
export { isContextOverflow } from "../utils/overflow.js";
