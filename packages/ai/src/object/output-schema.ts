/** The schema of an output: what is sent to a provider, and how the value that comes back is read. */
import { ConfigError } from "../errors.js";
import {
  type CompiledSchema,
  compileSchema,
  describeErrors,
  describeInfinite,
  toLines,
} from "../request/validation/index.js";
import type { StandardOutput, StandardSchema } from "../types/standard-schema.js";
import type { ToolArguments } from "../types/tool-arguments.js";
import { formatThrownValue } from "../utils/diagnostics.js";
import { isObject, isRecord } from "../utils/is-object.js";
import {
  convertSchema,
  explainConversion,
  isLibrarySchema,
  readIssues,
  readRules,
  type StandardValidate,
} from "../utils/library-schema.js";

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

type CheckedValue = { value: unknown } | { errors: string[] };

export interface OutputSchema {
  /** The JSON Schema of a value, as the caller wrote it or as the library describes it. */
  readonly json: object;
  /** Checks a value. A library may transform it, as its schema says; nothing else changes it. */
  check(value: unknown): CheckedValue | Promise<CheckedValue>;
}

/** The words that stand for values in an example of an object. */
const TYPE_WORDS: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "object", "array", "date"]);

/** Keywords of JSON Schema with such values. */
const MAY_BE_WORDS: ReadonlySet<string> = new Set([
  "type",
  "const",
  "default",
  "description",
  "format",
  "title",
  "$comment",
  "$ref",
  "$id",
  "pattern",
  "contentEncoding",
]);

/** The part of Standard Schema that checks values (https://standardschema.dev, 2026-11). */
/** Each schema is read once, so that it is compiled once. */
const known = new WeakMap<object, OutputSchema>();

/** @throws ConfigError if the value is not a schema, or has no JSON Schema */
export function readOutputSchema(schema: object): OutputSchema {
  if (!isObject(schema) && typeof schema !== "function") {
    throw new ConfigError('The option "schema" must be a JSON Schema, or a schema of TypeBox, Zod, Valibot or ArkType');
  }
  if (isRecord(schema) && !isLibrarySchema(schema)) refuseExample(schema);
  const read = known.get(schema) ?? (isLibrarySchema(schema) ? readLibrarySchema(schema) : readJsonSchema(schema));
  known.set(schema, read);
  return read;
}

/** `{ name: "string" }` is an example of an object, and as a schema it would allow anything. */
function refuseExample(schema: Readonly<Record<string, unknown>>): void {
  const keys = Object.keys(schema);
  if (keys.length === 0 || keys.some((key) => MAY_BE_WORDS.has(key) || !TYPE_WORDS.has(schema[key]))) return;
  throw new ConfigError(
    `The option "schema" is no JSON Schema: it has the keys ${keys.slice(0, 5).join(", ")}. Write Type.Object({ ${keys[0]}: Type.String() }), or another schema of an object.`,
  );
}

function readJsonSchema(schema: object): OutputSchema {
  const compiled = compile(schema);
  return { json: schema, check: (value) => checkJson(compiled, value) };
}

function readLibrarySchema(schema: StandardSchema): OutputSchema {
  const json = convert(schema);
  const rules = readRules(schema);
  return rules ? { json, check: (value) => checkWithLibrary(rules, value) } : readJsonSchema(json);
}

function convert(schema: StandardSchema): object {
  const read = (): object => convertSchema(schema, "The schema of the output is one of");
  return explainConversion(schema, "The schema of the output", read);
}

function compile(schema: object): CompiledSchema {
  try {
    return compileSchema(schema);
  } catch (error) {
    throw unusable(error);
  }
}

function unusable(error: unknown): ConfigError {
  const isTooDeep = error instanceof RangeError;
  const thrown = formatThrownValue(error);
  const reason = isTooDeep ? "it contains itself or is nested too deeply; write recursion as $ref" : thrown;
  return new ConfigError(`The schema of the output cannot be used: ${reason}`, { cause: error });
}

function checkJson(compiled: CompiledSchema, value: unknown): CheckedValue {
  const infinite = describeInfinite(value);
  if (infinite) return { errors: toLines([infinite]) };
  const errors = compiled.check(value);
  return errors.length === 0 ? { value } : { errors: toLines(describeErrors(errors), errors.length) };
}

async function checkWithLibrary(validate: StandardValidate, value: unknown): Promise<CheckedValue> {
  const infinite = describeInfinite(value);
  if (infinite) return { errors: toLines([infinite]) };
  const { issues, value: checked } = await validate(value);
  if (!issues) return { value: checked };
  return { errors: toLines(readIssues(issues)) };
}
