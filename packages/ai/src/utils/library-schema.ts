/**
 * Converts schemas of validation libraries to JSON Schema: Zod, ArkType and others that implement Standard JSON Schema
 * (https://standardschema.dev/json-schema, 2026-11). Does not load the schema builder.
 */
import { ConfigError, PiError } from "../errors.js";
import type { Tool } from "../types/context.js";
import type { StandardSchema } from "../types/standard-schema.js";
import { formatThrownValue } from "./diagnostics.js";
import { isRecord } from "./is-object.js";
import { ownValue } from "./own-value.js";

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

const ADVICE =
  "Write what JSON can hold, and convert it: for a date z.iso.datetime() or v.pipe(v.string(), v.isoDateTime()), for a big " +
  "number a string with digits, for a map or a set an object or a list";

/** Deeper parts are not searched. */
const MAX_DEPTH = 20;

/** Finds the property whose schema the library cannot convert by itself. */
function findInexpressible(schema: unknown, path: readonly string[]): readonly string[] | undefined {
  if (!isLibrarySchema(schema) || path.length > MAX_DEPTH || canConvert(schema)) return undefined;
  for (const [name, part] of partsOf(schema)) {
    const found = findInexpressible(part, name === undefined ? path : [...path, name]);
    if (found) return found;
  }
  return path;
}

function canConvert(schema: StandardSchema): boolean {
  try {
    convertSchema(schema, "");
    return true;
  } catch (error) {
    return PiError.is(error);
  }
}

/** The schemas inside a schema by the names that the libraries give them. An element has no name of its own. */
function partsOf(schema: object): [name: string | undefined, part: unknown][] {
  const read = (name: string): unknown => Reflect.get(schema, name);
  const fields = read("shape") ?? read("entries");
  const named = isRecord(fields) ? Object.entries(fields) : [];
  const definition = read("def");
  const inner = isRecord(definition) ? [definition["element"], definition["innerType"], definition["valueType"]] : [];
  return [...named, ...inner.map((part): [undefined, unknown] => [undefined, part])];
}

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
  const subject = `The parameters of tool "${name}"`;
  return explainConversion(parameters, subject, () => convertSchema(parameters, `${subject} are a schema of`));
}

/** @throws ConfigError that starts with `subject` and names the property that JSON cannot hold, and what to write */
export function explainConversion(schema: StandardSchema, subject: string, convert: () => object): object {
  try {
    return convert();
  } catch (error) {
    if (PiError.is(error)) throw error;
    const reason = formatThrownValue(error);
    const place = findInexpressible(schema, []);
    const property = place?.length ? ` (property "${place.join(".")}")` : "";
    throw new ConfigError(`${subject} cannot be written as JSON Schema: ${reason}${property}. ${ADVICE}`, {
      cause: error,
    });
  }
}

/** The verdict of a library's rules on a value. */
export interface StandardResult {
  readonly value?: unknown;
  readonly issues?: readonly StandardIssue[] | undefined;
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Checks a value by the rules of a library: refinements, defaults, transforms. */
export type StandardValidate = (value: unknown) => StandardResult | Promise<StandardResult>;

/** The rules behind JSON Schema that was made of a library's schema. */
const rulesOfJson = new WeakMap<object, StandardValidate>();

/** Keeps the rules of a library for the JSON Schema that was made of its schema. */
export function keepRules(json: object, schema: StandardSchema): void {
  const rules = readRules(schema);
  if (rules) rulesOfJson.set(json, rules);
}

/** The rules of a library by which arguments are checked beside their JSON Schema; undefined if there are none. */
export function findRules(parameters: object): StandardValidate | undefined {
  return isLibrarySchema(parameters) ? readRules(parameters) : rulesOfJson.get(parameters);
}

/** A schema that only describes itself has none. */
export function readRules(schema: StandardSchema): StandardValidate | undefined {
  const validate: unknown = Reflect.get(schema["~standard"], "validate");
  return typeof validate === "function" ? (validate as StandardValidate) : undefined; // as the standard defines it
}

/** The faults that a library found, each with its place. */
export function readIssues(issues: readonly StandardIssue[]): [path: string, problem: string][] {
  return issues.map(({ message, path = [] }) => [path.map(toSegment).join("."), message]);
}

function toSegment(part: PropertyKey | { readonly key: PropertyKey }): string {
  return String(isRecord(part) ? part["key"] : part);
}

/** @throws ConfigError whose text starts with `subject` */
export function convertSchema(schema: StandardSchema, subject: string): object {
  if (hasJsonSchema(schema)) return schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  const { vendor } = schema["~standard"];
  const conversion = ownValue(CONVERSIONS, vendor);
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
