/** Where schemas stand inside a schema. */
import { isRecord } from "../../utils/is-object.js";

export type Schema = Record<string, unknown>;

/** Keywords whose value is a schema. */
export const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
/** Keywords whose value is a list of schemas. */
export const LIST_KEYWORDS: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
/** Keywords whose value is a record of schemas. */
export const MAP_KEYWORDS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

/** A keyword of a schema, and the names or numbers from there to a schema inside it. */
export type ChildPath = readonly [keyword: string, ...rest: string[]];

/** Replaces the schemas inside a schema. Returns the same object if `replace` returns what it is given. */
export function mapChildren(schema: Schema, replace: (child: unknown, path: ChildPath) => unknown): Schema {
  let changed = false;
  const swap = (child: unknown, path: ChildPath): unknown => {
    const result = replace(child, path);
    changed ||= result !== child;
    return result;
  };
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (Array.isArray(value) && (LIST_KEYWORDS.has(keyword) || keyword === "items"))
      return [keyword, value.map((child, index) => swap(child, [keyword, String(index)]))];
    if (isRecord(value) && MAP_KEYWORDS.has(keyword))
      return [
        keyword,
        mapFields(value, (child, name) => (isNames(keyword, child) ? child : swap(child, [keyword, name]))),
      ];
    return [keyword, isRecord(value) && SCHEMA_KEYWORDS.has(keyword) ? swap(value, [keyword]) : value];
  });
  return changed ? Object.fromEntries(entries) : schema;
}

/** `dependencies` of draft 7 are schemas, or lists of names. */
function isNames(keyword: string, child: unknown): boolean {
  return keyword === "dependencies" && Array.isArray(child);
}

/** Returns the same object if no field changes: a copy of one with very many costs more than all else. */
function mapFields(fields: Schema, replace: (value: unknown, name: string) => unknown): Schema {
  const names = Object.keys(fields);
  const values = names.map((name) => replace(fields[name], name));
  const isSame = names.every((name, index) => fields[name] === values[index]);
  return isSame ? fields : Object.fromEntries(names.map((name, index) => [name, values[index]]));
}

/** The parts of a schema that hold for the same value as the schema itself. */
export function alternativesOf(schema: Schema): unknown[] {
  const { anyOf, oneOf, allOf, then, else: otherwise } = schema;
  return [...[anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : [])), then, otherwise];
}
