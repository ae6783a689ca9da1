/** How many tokens a request has: estimated, or counted by its provider. */
export { estimateMessageTokens, estimateTokens } from "./estimate-tokens.js";
export { sendElsewhere } from "./send-elsewhere.js";
