/** Creates tool parameters from a schema of any Standard Schema library: Zod, Valibot, ArkType and others. */

import type { Kind, TUnsafe } from "@sinclair/typebox";
import { ConfigError } from "../../errors.js";
import type { StandardOutput, StandardSchema } from "../../types/standard-schema.js";
import { isRecord } from "../../utils/is-object.js";
import { convertSchema, explainConversion, isLibrarySchema, keepRules } from "../../utils/library-schema.js";
import { nameValue } from "../../utils/name-value.js";
import { Type } from "../../vendor/typebox.js";

/**
 * Converts a schema to a tool's `parameters`: the JSON Schema that is sent. Arguments are checked by it and then by the rules of
 * the library (refinements, defaults, transforms), and the tool gets the library's output.
 *
 * A tool also accepts a schema with Standard JSON Schema (Zod 4.2, ArkType) directly. This function is for the others.
 *
 * @param toJsonSchema for a library without Standard JSON Schema: for Valibot, `toJsonSchema` of
 *   `@valibot/to-json-schema`
 * @throws ConfigError if the schema has neither, and for what JSON Schema cannot express
 *
 * @example
 * const parameters = createToolParameters(z.object({ city: z.string(), nights: z.int().optional() }));
 */
export function createToolParameters<TSchema extends StandardSchema>(
  schema: TSchema,
  toJsonSchema?: (schema: TSchema) => object,
): TUnsafe<StandardOutput<TSchema>> {
  if (!isLibrarySchema(schema))
    throw new ConfigError(
      `createToolParameters needs a schema of Zod, Valibot, ArkType or another library, not ${nameValue(schema)}`,
    );
  const json = explainConversion(schema, "The schema", () =>
    toJsonSchema ? toJsonSchema(schema) : convertSchema(schema, "The schema is one of"),
  );
  if (!isRecord(json))
    throw new ConfigError(`toJsonSchema must return JSON Schema, but it returned ${nameValue(json)}`);
  const parameters: TUnsafe<StandardOutput<TSchema>> = Type.Unsafe(json);
  keepRules(parameters, schema);
  return parameters;
}

/**
 * The schema of {@link StringEnum}. `Static` of TypeBox 0.34 and of TypeBox 1 both infer the strings. An object type, not
 * an interface: TypeBox 0.34's own has an index signature, in which TypeBox 1 finds every kind of schema.
 */
export type StringEnumSchema<TValue extends string> = {
  type: "string";
  /** The strings to choose from. */
  enum: TValue[];
  /** Tells the model what the choice is about. */
  description?: string;
  /** Used if the model omits the value. */
  default?: TValue;
  /** For the compiler only. */
  [Kind]: "Unsafe";
  /** For the compiler only. */
  static: TValue;
  /** For the compiler only. */
  params: unknown[];
  /** For the compiler only. */
  "~unsafe": TValue;
};

/**
 * A schema `{ type: "string", enum: [...] }`. TypeBox's own union of literals becomes `anyOf` with `const`, which Google
 * rejects.
 *
 * @example
 * const Color = StringEnum(["red", "green"], { description: "Of the line", default: "red" });
 * type Color = Static<typeof Color>; // "red" | "green"
 */
export function StringEnum<const TValues extends readonly string[]>(
  values: TValues,
  options: { description?: string; default?: TValues[number] } = {},
): StringEnumSchema<TValues[number]> {
  if (!Array.isArray(values))
    throw new ConfigError('StringEnum needs a list of values, such as StringEnum(["low", "high"])');
  const { description, default: fallback } = options;
  const schema: unknown = Type.Unsafe({
    type: "string",
    enum: [...values],
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
  });
  // The schema was just created; the other fields of the type exist for the compiler only.
  return schema as StringEnumSchema<TValues[number]>;
}
