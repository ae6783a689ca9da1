/** Creates tool parameters from a schema of any Standard Schema library: Zod, Valibot, ArkType and others. */
import { type TUnsafe, Type } from "@sinclair/typebox";
import type { StandardInput, StandardSchema } from "../types/standard-schema.js";
import { convertSchema } from "./library-schema.js";

/**
 * Converts a schema to a tool's `parameters`: the JSON Schema that is sent and used for validation, with the type of
 * the schema's input. Features beyond JSON Schema (transforms, refinements) are not run.
 *
 * A tool also accepts a schema with Standard JSON Schema (Zod 4.2, ArkType) directly. This function is for the others.
 *
 * @param toJsonSchema for a library without Standard JSON Schema: for Valibot, `toJsonSchema` of
 *   `@valibot/to-json-schema`
 * @throws ConfigError if the schema has neither; also the library's own errors for what JSON Schema cannot express
 *
 * @example
 * const parameters = createToolParameters(z.object({ city: z.string(), nights: z.int().optional() }));
 */
export function createToolParameters<TSchema extends StandardSchema>(
  schema: TSchema,
  toJsonSchema?: (schema: TSchema) => object,
): TUnsafe<StandardInput<TSchema>> {
  return Type.Unsafe(toJsonSchema ? toJsonSchema(schema) : convertSchema(schema, "The schema is one of"));
}
