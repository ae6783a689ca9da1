/**
 * Validates tool arguments, without the rest of the package.
 *
 * @module pi-ai/validation
 */
export { parseToolArguments, validateToolArguments, validateToolCall } from "./request/validation/validation.js";
export { type ArgumentChanges, type WatchedArguments, watchArguments } from "./request/validation/watched-arguments.js";
