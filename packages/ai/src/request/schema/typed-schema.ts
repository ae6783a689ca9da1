/** Writes a schema with a type at every place, as Moonshot's flavour of JSON Schema demands. */
import { isRecord } from "../../utils/is-object.js";
import type { Schema } from "./schema-children.js";

/** Keywords that this flavour does not know; `uniqueItems`: QwenLM/qwen-code#9865, 2026-08. */
const UNKNOWN: readonly string[] = [
  "contains",
  "dependentSchemas",
  "else",
  "if",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
  "uniqueItems",
];

const SCALARS: readonly Schema[] = [{ type: "string" }, { type: "number" }, { type: "boolean" }];
/** Every value but null. */
const ANYTHING: readonly Schema[] = [
  ...SCALARS,
  { type: "object", properties: {} },
  { type: "array", items: { anyOf: SCALARS } },
];

/** The types by the keywords that only values of this type have. */
const TYPES_BY_KEYWORD: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ["object", ["properties", "required", "additionalProperties", "patternProperties", "minProperties", "maxProperties"]],
  ["array", ["items", "prefixItems", "minItems", "maxItems"]],
  ["string", ["pattern", "format", "minLength", "maxLength"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/**
 * The schemas inside are not read.
 *
 * @param flatten writes a union or a combination as one object
 * @returns the same object if it has its type
 */
export function toTyped(given: Schema, flatten: (schema: Schema) => Schema): Schema {
  const schema = withoutUnknown(given);
  if (schema["$ref"] !== undefined && schema["allOf"] === undefined) return schema;
  const { oneOf, anyOf, allOf } = schema;
  if (allOf !== undefined) return joinAll(schema, flatten);
  const union = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (union.length > 0) return toUnion(schema, union, flatten);
  const types = withoutMixedValues(schema);
  if (types["type"] !== undefined) return types;
  const type = inferType(types);
  if (type !== undefined) return { type, ...types };
  const { enum: values, const: _value, ...rest } = types;
  return { ...rest, anyOf: Array.isArray(values) && values.length > 0 ? valuesByType(values) : ANYTHING };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Each branch lists the values of one type. */
function valuesByType(values: readonly unknown[]): Schema[] {
  const types = new Set(values.map(typeOf));
  return [...types].map((type) => ({ type, enum: values.filter((value) => typeOf(value) === type) }));
}

function withoutUnknown(schema: Schema): Schema {
  if (!UNKNOWN.some((keyword) => keyword in schema)) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !UNKNOWN.includes(keyword)));
}

function inferType(schema: Schema): string | undefined {
  const known = TYPES_BY_KEYWORD.find(([, keywords]) => keywords.some((keyword) => schema[keyword] !== undefined));
  if (known) return known[0];
  const values = Array.isArray(schema["enum"]) ? schema["enum"] : "const" in schema ? [schema["const"]] : [];
  const types = new Set(values.map(typeOf));
  const [type] = types;
  return types.size === 1 ? type : undefined;
}

/** Members that are objects become one; of others, the first keyword of each name stays. */
function joinAll({ allOf, ...rest }: Schema, flatten: (schema: Schema) => Schema): Schema {
  const members = Array.isArray(allOf) ? allOf.filter(isRecord) : [];
  const [only] = members;
  if (members.length === 1 && only && !isObjectSchema(rest)) return toTyped({ ...only, ...rest }, flatten);
  if ([rest, ...members].some(isObjectSchema) || members.every((member) => member["$ref"] !== undefined))
    return flatten({ ...rest, allOf: members });
  return toTyped(Object.assign({}, ...members.toReversed(), rest), flatten);
}

/** A union of objects beside properties becomes one object. In any other, each branch has the type that stood beside it. */
function toUnion(schema: Schema, union: readonly unknown[], flatten: (schema: Schema) => Schema): Schema {
  if (isObjectSchema(schema)) return flatten(schema);
  const { type, anyOf: _anyOf, oneOf, ...rest } = schema;
  if (type === undefined && oneOf === undefined) return schema;
  const branches = union.map((branch) => {
    if (type === undefined || !isRecord(branch)) return branch;
    return ["type", "anyOf", "oneOf", "allOf", "$ref"].some((keyword) => keyword in branch)
      ? branch
      : { type, ...branch };
  });
  return { ...rest, anyOf: branches };
}

function isObjectSchema({ type, properties, required }: Schema): boolean {
  return type === "object" || properties !== undefined || required !== undefined;
}

/** A list of values may hold only those of its type. */
function withoutMixedValues(schema: Schema): Schema {
  const { type, enum: values } = schema;
  if (typeof type !== "string" || !Array.isArray(values)) return schema;
  const kept = values.filter((value) => value !== null || type === "null");
  return kept.length === values.length || kept.length === 0 ? schema : { ...schema, enum: kept };
}
