/** The conversation as the caller gives it, checked and completed. */
export { checkOptions } from "./check-options.js";
export { normalizeContext, unreadFieldsOf } from "./normalize-context.js";
