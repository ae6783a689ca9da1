/** Derives from the schema of an output the JSON Schema that is sent, and the check of its values. */
import { ConfigError, PiError } from "../errors.js";
import type { StandardSchema } from "../types/standard-schema.js";
import { isObject, isRecord } from "../utils/is-object.js";
import type { CompiledSchema } from "../validation/compiled-schema.js";
import { describeErrors, describeInfinite, toLines } from "../validation/describe-errors.js";
import { compileSchema } from "../validation/json-schema.js";
import { convertSchema, isLibrarySchema } from "../validation/library-schema.js";

export type CheckedValue = { value: unknown } | { errors: string[] };

export interface OutputSchema {
  /** The JSON Schema of a value, as the caller wrote it or as the library describes it. */
  readonly json: object;
  /** Checks a value. A library may transform it, as its schema says; nothing else changes it. */
  check(value: unknown): CheckedValue | Promise<CheckedValue>;
}

/** The part of Standard Schema that checks values (https://standardschema.dev, 2026-11). */
interface StandardResult {
  readonly value?: unknown;
  readonly issues?: readonly {
    readonly message: string;
    readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  }[];
}
type StandardValidate = (value: unknown) => StandardResult | Promise<StandardResult>;

/** Each schema is read once, so that it is compiled once. */
const known = new WeakMap<object, OutputSchema>();

/** @throws ConfigError if the value is not a schema, or has no JSON Schema */
export function readOutputSchema(schema: object): OutputSchema {
  if (!isObject(schema) && typeof schema !== "function") {
    throw new ConfigError('The option "schema" must be a JSON Schema, or a schema of TypeBox, Zod, Valibot or ArkType');
  }
  const read = known.get(schema) ?? (isLibrarySchema(schema) ? readLibrarySchema(schema) : readJsonSchema(schema));
  known.set(schema, read);
  return read;
}

function readJsonSchema(schema: object): OutputSchema {
  const compiled = compile(schema);
  return { json: schema, check: (value) => checkJson(compiled, value) };
}

function readLibrarySchema(schema: StandardSchema): OutputSchema {
  const json = convert(schema);
  const validate: unknown = Reflect.get(schema["~standard"], "validate");
  if (typeof validate !== "function") return readJsonSchema(json);
  return { json, check: (value) => checkWithLibrary(validate as StandardValidate, value) }; // as the standard defines it
}

function convert(schema: StandardSchema): object {
  try {
    return convertSchema(schema, "The schema of the output is one of");
  } catch (error) {
    if (PiError.is(error)) throw error;
    throw unusable(error);
  }
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
  const thrown = error instanceof Error ? error.message : String(error);
  const reason = isTooDeep ? "it contains itself or is nested too deeply; write recursion as $ref" : thrown;
  return new ConfigError(`The schema of the output cannot be used: ${reason}`, { cause: error });
}

function checkJson(compiled: CompiledSchema, value: unknown): CheckedValue {
  const infinite = describeInfinite(value);
  if (infinite !== undefined) return { errors: [infinite] };
  const errors = compiled.check(value);
  return errors.length === 0 ? { value } : { errors: describeErrors(errors) };
}

async function checkWithLibrary(validate: StandardValidate, value: unknown): Promise<CheckedValue> {
  const infinite = describeInfinite(value);
  if (infinite !== undefined) return { errors: [infinite] };
  const { issues, value: checked } = await validate(value);
  if (!issues) return { value: checked };
  return { errors: toLines(issues.map(({ message, path = [] }) => [path.map(toSegment).join("."), message])) };
}

function toSegment(part: PropertyKey | { readonly key: PropertyKey }): string {
  return String(isRecord(part) ? part["key"] : part);
}
