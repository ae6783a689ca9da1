/** Parameters of a tool from a schema of any library that keeps to Standard Schema: Zod, Valibot, ArkType and others. */
import { type TUnsafe, Type } from "@sinclair/typebox";
import type { StandardInput, StandardSchema } from "../types/standard-schema.js";
import { convertSchema } from "./library-schema.js";

/**
 * Turns a schema into what a tool's `parameters` are: the JSON Schema that is sent and that arguments are checked
 * against, with the type of the schema's input. What a library does beyond JSON Schema (transforms, refinements) is not
 * run.
 *
 * A tool also takes a schema with Standard JSON Schema (Zod 4.2, ArkType) as it is; this function is for the others.
 *
 * @param toJsonSchema for a library without Standard JSON Schema: for Valibot, `toJsonSchema` of
 *   `@valibot/to-json-schema`
 * @throws ConfigError where there is neither; and what the library throws for what JSON Schema cannot say
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
