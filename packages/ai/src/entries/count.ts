/**
 * Counts the tokens of a conversation, and detects that it no longer fits.
 *
 * @module pi-ai/count
 */
export { estimateMessageTokens, estimateTokens } from "../utils/estimate-tokens.js";
export { isContextOverflow } from "../utils/overflow.js";
