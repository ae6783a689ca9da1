/**
 * Typed output: objects that fit a schema, from every provider, streamed and validated.
 *
 * @module pi-ai/object
 */
import { registerBuiltInsOnce } from "../providers/register-builtins.js";

registerBuiltInsOnce();

export { addUsage } from "../message/index.js";
export {
  completeObject,
  completeText,
  type ObjectOptions,
  type ObjectResult,
  ObjectStream,
  type ObjectUpdate,
  streamObject,
  type TextOptions,
} from "./complete-object.js";
export {
  OutputError,
  type OutputErrorFacts,
  OutputPlan,
  type OutputReading,
  type OutputRequest,
} from "./output-plan.js";
export {
  type ChoiceSchema,
  choice,
  type DeepPartial,
  type EnumSchema,
  enumOf,
  type ObjectOf,
  type OutputMode,
} from "./output-schema.js";
