/** The types of typed output. */
import type { StandardOutput, StandardSchema } from "../types/standard-schema.js";
import type { ToolArguments } from "../types/tool-arguments.js";

/**
 * The type of the values of a schema: TypeBox, a Standard Schema library (its output, after transforms), or a literal
 * of JSON Schema. `unknown` if the type of the schema says nothing.
 */
export type ObjectOf<TSchema extends object> = TSchema extends StandardSchema
  ? StandardOutput<TSchema>
  : ToolArguments<TSchema>;

/** A value that may still be incomplete at every depth. */
export type DeepPartial<TValue> = TValue extends readonly (infer TItem)[]
  ? DeepPartial<TItem>[]
  : TValue extends object
    ? { [TKey in keyof TValue]?: DeepPartial<TValue[TKey]> }
    : TValue;

/**
 * How JSON is requested from the model: `native` is the provider's own mode for JSON Schema, `tool` a tool that the model
 * must call, `text` instructions in the prompt.
 */
export type OutputMode = "native" | "tool" | "text";
