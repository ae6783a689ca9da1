/**
 * Asks for typed output in a request and reads it from the response, for code that sends its own requests.
 *
 * @module pi-ai/output
 */
export { addUsage } from "../message/index.js";
export { OutputError, type OutputErrorFacts } from "./output-error.js";
export { OutputPlan, type OutputReading, type OutputRequest } from "./output-plan.js";
