/** Checking tool arguments, for who needs nothing else of the package. */
export { validateToolArguments, validateToolCall } from "./utils/validation.js";
