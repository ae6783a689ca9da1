/** Every schema within a schema, with its place. */
import { fieldsOf, isFields } from "../validators/faults.js";

export interface SchemaNode {
  schema: Record<string, unknown>;
  /** The keys from the root. */
  path: string[];
}

const NAMED = ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas", "dependencies"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const SINGLE = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];

/** Every rule on schemas asks for the same ones. */
const known = new WeakMap<object, SchemaNode[]>();

/** The schema itself first. Values that are no schema are left out. */
export function schemaNodes(root: unknown): SchemaNode[] {
  if (typeof root !== "object" || root === null) return [];
  const nodes = known.get(root) ?? readNodes(root);
  known.set(root, nodes);
  return nodes;
}

function readNodes(root: object): SchemaNode[] {
  const nodes: SchemaNode[] = [];
  const open: SchemaNode[] = isFields(root) ? [{ schema: fieldsOf(root), path: [] }] : [];
  for (let node = open.shift(); node; node = open.shift()) {
    nodes.push(node);
    open.push(...childrenOf(node));
  }
  return nodes;
}

function childrenOf({ schema, path }: SchemaNode): SchemaNode[] {
  const named = NAMED.flatMap((key) => Object.entries(fieldsOf(schema[key])).map((pair) => place([key], pair)));
  const lists = [...LISTS, ...SINGLE].flatMap((key) => {
    const list = schema[key];
    return Array.isArray(list) ? list.map((value, index) => place([key], [String(index), value])) : [];
  });
  const single = SINGLE.map((key) => place([], [key, schema[key]]));
  return [...named, ...lists, ...single].flatMap(([keys, value]) =>
    isFields(value) ? [{ schema: fieldsOf(value), path: [...path, ...keys] }] : [],
  );
}

function place(
  before: readonly string[],
  [key, value]: [key: string, value: unknown],
): [keys: string[], value: unknown] {
  return [[...before, key], value];
}

/** Whether a schema allows a type: by name, or in a list of names. */
export function hasType({ type }: Record<string, unknown>, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}

/** The place as OpenAI writes it: `('properties', 'a')`. */
export function contextOf(path: readonly string[]): string {
  const names = path.map((key) => `'${key}'`).join(", ");
  return path.length === 1 ? `(${names},)` : `(${names})`;
}
