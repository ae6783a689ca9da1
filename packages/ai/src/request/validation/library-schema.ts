/**
 * Converts schemas of validation libraries to JSON Schema: Zod, ArkType and others that implement Standard JSON Schema
 * (https://standardschema.dev/json-schema, 2026-11). Does not load the schema builder.
 */
import { ConfigError, PiError } from "../../errors.js";
import type { Tool } from "../../types/context.js";
import type { StandardSchema } from "../../types/tool-arguments.js";
import { formatThrownValue } from "../../utils/diagnostics.js";

/** Standard JSON Schema, the optional part of Standard Schema. */
interface StandardJsonSchema {
  readonly "~standard": {
    readonly jsonSchema: { readonly input: (options: { readonly target: string }) => object };
  };
}

/** How a library without Standard JSON Schema, or an older release, creates JSON Schema. */
const CONVERSIONS: Readonly<Record<string, string>> = {
  arktype: "createToolParameters(schema, (type) => type.toJsonSchema())",
  valibot: "createToolParameters(schema, toJsonSchema), with toJsonSchema of @valibot/to-json-schema",
  zod: "createToolParameters(schema, z.toJSONSchema)",
};

/** Each schema is converted once, so that validation compiles it once and the prompt stays the same. */
const converted = new WeakMap<object, object>();

/**
 * The JSON Schema of a tool's parameters. A library's schema is converted once; anything else is returned unchanged.
 *
 * @throws ConfigError that names the tool and the fix, if the library cannot convert its schema
 */
export function readParameters({ name, parameters }: Pick<Tool, "name" | "parameters">): object {
  if (!isLibrarySchema(parameters)) return parameters;
  const known = converted.get(parameters);
  if (known) return known;
  const schema = convertParameters(name, parameters);
  converted.set(parameters, schema);
  return schema;
}

function convertParameters(name: string, parameters: StandardSchema): object {
  try {
    return convertSchema(parameters, `The parameters of tool "${name}" are a schema of`);
  } catch (error) {
    if (PiError.is(error)) throw error;
    const reason = formatThrownValue(error);
    throw new ConfigError(`The parameters of tool "${name}" cannot be written as JSON Schema: ${reason}`, {
      cause: error,
    });
  }
}

/** @throws ConfigError whose text starts with `subject` */
export function convertSchema(schema: StandardSchema, subject: string): object {
  if (hasJsonSchema(schema)) return schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  const { vendor } = schema["~standard"];
  const conversion = Object.hasOwn(CONVERSIONS, vendor) ? CONVERSIONS[vendor] : undefined;
  throw new ConfigError(
    `${subject} ${vendor}, which does not describe itself as JSON Schema. ` +
      `Write ${conversion ?? "createToolParameters(schema, toJsonSchema), with a function that converts it"}`,
  );
}

/**
 * Whether a value is a library's schema. JSON Schema that such a library created may also carry the standard's marker,
 * but only as a non-enumerable plain object.
 */
export function isLibrarySchema(parameters: unknown): parameters is StandardSchema {
  if (typeof parameters === "function") return "~standard" in parameters;
  if (typeof parameters !== "object" || parameters === null || !("~standard" in parameters)) return false;
  return Object.getPrototypeOf(parameters) !== Object.prototype || Object.keys(parameters).includes("~standard");
}

function hasJsonSchema(schema: StandardSchema): schema is StandardSchema & StandardJsonSchema {
  return "jsonSchema" in schema["~standard"];
}
