/**
 * Checking tool arguments, for who needs nothing else of the package.
 *
 * @module pi-ai/validation
 */
export { validateToolArguments, validateToolCall } from "../validation/validation.js";
