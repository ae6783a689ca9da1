/**
 * Validates tool arguments, without the rest of the package.
 *
 * @module pi-ai/validation
 */
export { validateToolArguments, validateToolCall } from "./request/validation/validation.js";
