/**
 * Removes the nulls that stand for absent properties. If a provider requires every property, the schema for it
 * declares optional properties as nullable (see `allRequired` in `compat/schema-subsets.ts`), and null means absent.
 */
import { isRecord } from "../utils/is-object.js";
import { resolvePointer } from "../utils/json-pointer.js";

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
      ...partsOf(propertySchema(part, key)),
      ...(key === "" ? itemSchemas([part], Number.POSITIVE_INFINITY) : []),
    ]);
  }
  const own = expand(schemas, schema).flatMap((part) => propertySchema(part, path.at(-1) ?? ""));
  return meansAbsent(own, schema);
}

/** A schema of a property. */
interface PropertySchema {
  part: unknown;
  optional: boolean;
}

const partsOf = (own: readonly PropertySchema[]): unknown[] => own.map(({ part }) => part);

/** Whether null means that the property with these schemas is absent. */
function meansAbsent(own: readonly PropertySchema[], root: object): boolean {
  return own.some(({ optional }) => optional) && !expand(partsOf(own), root).some(permitsNull);
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
    if (item === null && meansAbsent(own, root)) Reflect.deleteProperty(value, key);
    else removeIn(item, partsOf(own), root);
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

function propertySchema(schema: Record<string, unknown>, key: string): PropertySchema[] {
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
