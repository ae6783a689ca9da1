/** The schema of an output: what is sent to a provider, and how the value that comes back is read. */
import { ConfigError } from "../errors.js";
import {
  type CompiledSchema,
  compileSchema,
  describeErrors,
  describeInfinite,
  toLines,
} from "../request/validation/index.js";
import type { StandardOutput, StandardSchema, ToolArguments } from "../types/tool-arguments.js";
import { formatThrownValue } from "../utils/diagnostics.js";
import { isObject, isRecord } from "../utils/is-object.js";
import { resolvePointer } from "../utils/json-pointer.js";
import {
  convertSchema,
  explainConversion,
  isLibrarySchema,
  readIssues,
  readRules,
  type StandardValidate,
} from "../utils/library-schema.js";
import { ownValue } from "../utils/own-value.js";

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

// Derives from the schema of an output the JSON Schema that is sent, and the check of its values.

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

// Wraps a schema for a list, a union or a single value in an object schema, because every provider accepts that.

/** The property that holds the value. */
const WRAPPED = "value";
/** References to these stay valid, because the wrapper copies the definitions. */
const DEFINITIONS = ["$defs", "definitions"];

/** Keywords that can make a schema of `type: "object"` permit something that providers refuse at the top level. */
const COMPOSED = ["anyOf", "oneOf", "allOf", "not", "if", "enum", "const", "$ref"];

interface WrappedSchema {
  /** Describes an object. */
  schema: object;
  /** Whether the value is in a property of that object. */
  wrapped: boolean;
}

export function wrapSchema(schema: object): WrappedSchema {
  if (isPlainObjectSchema(schema)) return { schema, wrapped: false };
  const { $schema: _dialect, $id: _id, $defs, definitions, ...rest } = { ...schema } as Record<string, unknown>;
  const inner = moveReferences({ ...rest, ...($defs ? { $defs } : {}), ...(definitions ? { definitions } : {}) });
  const { $defs: movedDefs, definitions: movedDefinitions, ...value } = inner as Record<string, unknown>;
  const wrapper = {
    type: "object",
    properties: { [WRAPPED]: value },
    required: [WRAPPED],
    additionalProperties: false,
    ...(movedDefs ? { $defs: movedDefs } : {}),
    ...(movedDefinitions ? { definitions: movedDefinitions } : {}),
  };
  return { schema: wrapper, wrapped: true };
}

/** The value inside a wrapper; undefined while it is missing. */
export function unwrap(value: unknown): unknown {
  return isRecord(value) ? ownValue(value, WRAPPED) : undefined;
}

function isPlainObjectSchema(schema: object): boolean {
  if (!isRecord(schema) || COMPOSED.some((keyword) => schema[keyword] !== undefined)) return false;
  return schema["type"] === "object";
}

/** Adjusts references, which start at the root: the root is now one level up. */
function moveReferences(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(moveReferences);
  if (!isObject(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([keyword, value]) => [
      keyword,
      keyword === "$ref" && typeof value === "string" ? moveReference(value) : moveReferences(value),
    ]),
  );
}

function moveReference(reference: string): string {
  if (!reference.startsWith("#")) return reference;
  if (DEFINITIONS.some((keyword) => reference.startsWith(`#/${keyword}/`))) return reference;
  return `#/properties/${WRAPPED}${reference.slice(1)}`;
}

/** Whether a schema, or a part of it, describes an object with properties of any name, or a value of any type. */
export function hasFreeNames(schema: object): boolean {
  const seen = new Set<object>([schema]);
  // Iterating a set also visits elements that are added on the way.
  for (const part of seen) {
    if (isRecord(part) && hasOwnFreeNames(part)) return true;
    for (const child of Object.values(part)) if (isObject(child)) seen.add(child);
  }
  return false;
}

function hasOwnFreeNames({
  type,
  properties,
  additionalProperties,
  patternProperties,
}: Record<string, unknown>): boolean {
  if (isRecord(additionalProperties) || isRecord(patternProperties)) return true;
  const isEmpty = !isRecord(properties) || Object.keys(properties).length === 0;
  return type === "object" && isEmpty && additionalProperties !== false;
}

// Removes the nulls that stand for absent properties. If a provider requires every property, the schema for it
// declares optional properties as nullable (see `allRequired` in `compat/schema-subsets.ts`), and null means absent.

/** The maximum number of references and alternatives for one value, because schemas may refer to themselves. */
const MAX_ALTERNATIVES = 1000;

/** Changes the value, which must be the caller's own. */
export function removeAddedNulls(value: unknown, schema: object): void {
  removeIn(value, [schema], schema);
}

/**
 * Whether a null stands for an absent property.
 *
 * @param path the keys to the property; the key of a list is `""`
 */
export function isAddedNull(path: readonly string[], schema: object): boolean {
  let schemas: unknown[] = [schema];
  for (const key of path.slice(0, -1)) {
    schemas = expand(schemas, schema).flatMap((part) => [
      ...propertySchema(part, key).map((own) => own.part),
      ...(key === "" ? itemSchemas([part], Number.POSITIVE_INFINITY) : []),
    ]);
  }
  const own = expand(schemas, schema).flatMap((part) => propertySchema(part, path.at(-1) ?? ""));
  return (
    own.some(({ optional }) => optional) &&
    !expand(
      own.map(({ part }) => part),
      schema,
    ).some(permitsNull)
  );
}

/** @param schemas all schemas that may describe the value */
function removeIn(value: unknown, schemas: unknown[], root: object): void {
  if (typeof value !== "object" || value === null) return;
  const alternatives = expand(schemas, root);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) removeIn(item, itemSchemas(alternatives, index), root);
    return;
  }
  const fitting = alternatives.filter((schema) => mayDescribe(schema, value));
  for (const key of Object.keys(value)) {
    const item: unknown = Reflect.get(value, key);
    const own = fitting.flatMap((schema) => propertySchema(schema, key));
    if (item !== null)
      removeIn(
        item,
        own.map(({ part }) => part),
        root,
      );
    else if (
      own.some(({ optional }) => optional) &&
      !expand(
        own.map(({ part }) => part),
        root,
      ).some(permitsNull)
    )
      Reflect.deleteProperty(value, key);
  }
}

/** Returns the schemas, the targets of their references, and their alternatives. */
function expand(schemas: unknown[], root: object): Record<string, unknown>[] {
  const seen = new Set<Record<string, unknown>>();
  const add = (part: unknown): void => {
    if (isRecord(part) && seen.size < MAX_ALTERNATIVES) seen.add(part);
  };
  for (const schema of schemas) add(schema);
  // Iterating a set also visits elements that are added on the way.
  for (const schema of seen) {
    const { $ref: reference } = schema;
    if (typeof reference === "string" && reference.startsWith("#")) add(resolvePointer(root, reference));
    for (const word of ["allOf", "anyOf", "oneOf"]) {
      const members = schema[word];
      if (Array.isArray(members)) for (const member of members) add(member);
    }
  }
  return [...seen];
}

function itemSchemas(schemas: Record<string, unknown>[], index: number): unknown[] {
  return schemas.flatMap(({ prefixItems, items }) => {
    const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    return index < first.length ? [first[index]] : Array.isArray(items) ? [] : [items];
  });
}

/** Returns false if a constant property of the schema, such as the tag of a union, differs from the value's. */
function mayDescribe({ properties }: Record<string, unknown>, value: object): boolean {
  if (!isRecord(properties)) return true;
  return Object.entries(properties).every(([key, part]) => {
    if (!isRecord(part) || part["const"] === undefined || !Object.hasOwn(value, key)) return true;
    return part["const"] === Reflect.get(value, key);
  });
}

function propertySchema(schema: Record<string, unknown>, key: string): { part: unknown; optional: boolean }[] {
  const { properties, required } = schema;
  if (!isRecord(properties) || !Object.hasOwn(properties, key)) return [];
  return [{ part: properties[key], optional: !(Array.isArray(required) && required.includes(key)) }];
}

function permitsNull({ type, enum: values, const: constant, nullable, ...rest }: Record<string, unknown>): boolean {
  if (type === "null" || constant === null || nullable === true) return true;
  if (Array.isArray(type)) return type.includes("null");
  if (Array.isArray(values)) return values.includes(null);
  const says = ["$ref", "allOf", "anyOf", "oneOf", "properties", "items"].some((word) => rest[word] !== undefined);
  return type === undefined && constant === undefined && !says;
}

// Schemas for classification.

/** A schema for one of several values. */
export interface EnumSchema<TValue extends string | number> {
  /** The values. */
  readonly enum: readonly TValue[];
  /** Their types. */
  readonly type: readonly ("string" | "number")[];
}

/** A schema for one of several labels, each with a description. */
export interface ChoiceSchema<TLabel extends string> {
  /** One schema for each label. */
  readonly anyOf: readonly { readonly const: TLabel; readonly type: "string"; readonly description: string }[];
}

/**
 * A schema whose value is one of the given values.
 *
 * @example
 * const { object } = await completeObject(model, text, { schema: enumOf(["positive", "neutral", "negative"]) });
 */
export function enumOf<const TValue extends string | number>(values: readonly TValue[]): EnumSchema<TValue> {
  if (!Array.isArray(values)) throw new ConfigError('enumOf needs a list of values, such as enumOf(["low", "high"])');
  const types = (["string", "number"] as const).filter((type) => values.some((value) => typeof value === type));
  return { type: types, enum: values };
}

/**
 * A schema whose value is one of the labels. The model reads the descriptions.
 *
 * @example
 * const schema = choice({ bug: "Something does not work as documented", idea: "A request for a new feature" });
 * const { object } = await completeObject(model, issue, { schema }); // "bug" or "idea"
 */
export function choice<const TLabel extends string>(labels: Readonly<Record<TLabel, string>>): ChoiceSchema<TLabel> {
  if (!isRecord(labels))
    throw new ConfigError(
      'choice needs labels with descriptions, such as { bug: "It fails" }. For a list, write enumOf(list)',
    );
  // Object.entries widens the keys.
  const entries = Object.entries(labels) as [TLabel, string][];
  if (entries.length === 0) throw new ConfigError("choice needs at least one label");
  return { anyOf: entries.map(([label, description]) => ({ type: "string", const: label, description })) };
}
