/**
 * Typed output: objects that fit a schema, from every provider, streamed and validated.
 *
 * @module pi-ai/object
 */
import { registerBuiltInsOnce } from "../providers/register-builtins.js";

registerBuiltInsOnce();

export { addUsage } from "../message/index.js";
export { type ChoiceSchema, choice, type EnumSchema, enumOf } from "./choice.js";
export { completeObject } from "./complete-object.js";
export { completeText, type TextOptions } from "./complete-text.js";
export type { ObjectOptions, ObjectResult, ObjectUpdate } from "./object-attempts.js";
export { ObjectStream, streamObject } from "./object-stream.js";
export { OutputError, type OutputErrorFacts } from "./output-error.js";
export { OutputPlan, type OutputReading, type OutputRequest } from "./output-plan.js";
export type { DeepPartial, ObjectOf, OutputMode } from "./output-schema.js";
