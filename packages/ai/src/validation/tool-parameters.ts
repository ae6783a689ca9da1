/** Parameters of a tool from a schema of any library that keeps to Standard Schema: Zod, Valibot, ArkType and others. */
import { type TUnsafe, Type } from "@sinclair/typebox";
import { ConfigError } from "../errors.js";
import type { StandardInput, StandardSchema } from "../types/standard-schema.js";

/** Standard JSON Schema, the part of the standard that not every library has. */
interface StandardJsonSchema {
  readonly "~standard": {
    readonly jsonSchema: { readonly input: (options: { readonly target: string }) => object };
  };
}

/**
 * Turns a schema into what a tool's `parameters` are: the JSON Schema that is sent and that arguments are checked
 * against, with the type of the schema's input. What a library does beyond JSON Schema (transforms, refinements) is not
 * run.
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
  return Type.Unsafe(toJsonSchema ? toJsonSchema(schema) : readJsonSchema(schema));
}

function readJsonSchema(schema: StandardSchema): object {
  if (hasJsonSchema(schema)) return schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  const { vendor } = schema["~standard"];
  throw new ConfigError(`Schemas of ${vendor} do not tell their JSON Schema. Give a function that makes it from them`);
}

function hasJsonSchema(schema: StandardSchema): schema is StandardSchema & StandardJsonSchema {
  return "jsonSchema" in schema["~standard"];
}
