/** Writes a union or a combination of objects as one object, for vendors that take nothing else at this place. */
import { isObject, isRecord } from "../../utils/is-object.js";
import { resolvePointer } from "../../utils/json-pointer.js";
import type { Schema } from "./schema-children.js";
import { ANNOTATIONS } from "./schema-refs.js";

/** So many parts and properties of one schema are read. The rest is left out: a union of unions can repeat itself without end. */
const MAX_PARTS = 20_000;
/** The longest description of what one object cannot say, in characters. */
const MAX_WORDS = 1000;
/** So many names of one branch are told. */
const MAX_NAMES = 50;

/** Keywords that are read, and do not stand in the object. */
const READ: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "$ref", "properties", "required"]);

export interface PlainObject {
  schema: Schema;
  /** Sentences for a model: each names something that the object permits and the schema does not. */
  lost: string[];
}

/** Whether a schema is more than one object: a union, a combination or a reference. */
export function isCombined(schema: Schema): boolean {
  return ["allOf", "anyOf", "oneOf", "$ref"].some((keyword) => schema[keyword] !== undefined);
}

/**
 * One object with the properties of all parts. It requires what all branches of a union require, and all that the members of
 * `allOf` do.
 *
 * @param root where references point
 */
export function toPlainObject(schema: Schema, root: object): PlainObject {
  const reading = new Reading(root);
  const { properties, required, rest } = reading.read(schema);
  const { $defs, definitions, ...others } = Object.fromEntries(rest);
  const plain: Schema = {
    ...others,
    type: "object",
    properties: Object.fromEntries(Array.from(properties, ([name, parts]) => [name, parts.toSchema()])),
    ...(required.size > 0 ? { required: [...required] } : {}),
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
  return { schema: plain, lost: reading.lost };
}

interface Parts {
  properties: Map<string, Property>;
  required: Set<string>;
  /** The other keywords. */
  rest: Map<string, unknown>;
}

class Reading {
  readonly lost: string[] = [];
  readonly #root: object;
  readonly #open = new Set<Schema>();
  readonly #keys = new Keys();
  #left = MAX_PARTS;

  constructor(root: object) {
    this.#root = root;
  }

  read(schema: unknown): Parts {
    const parts: Parts = { properties: new Map(), required: new Set(), rest: new Map() };
    if (!isRecord(schema) || this.#open.has(schema) || this.#left-- <= 0) return parts;
    this.#open.add(schema);
    this.#readOwn(parts, schema);
    const { $ref: reference, allOf, anyOf, oneOf } = schema;
    if (typeof reference === "string") addAll(parts, this.read(resolvePointer(this.#root, reference)));
    if (Array.isArray(allOf)) for (const member of allOf) addAll(parts, this.read(member));
    if (Array.isArray(anyOf)) this.#readUnion(parts, anyOf, "At least one");
    if (Array.isArray(oneOf)) this.#readUnion(parts, oneOf, "Exactly one");
    this.#open.delete(schema);
    return parts;
  }

  #readOwn(parts: Parts, schema: Schema): void {
    const { properties, required } = schema;
    for (const [name, value] of Object.entries(isRecord(properties) ? properties : {}))
      parts.properties.set(name, new Property(value, this.#keys));
    this.#left -= parts.properties.size;
    if (Array.isArray(required)) parts.required = new Set(required.filter((name) => typeof name === "string"));
    parts.rest = new Map(Object.entries(schema).filter(([keyword]) => !READ.has(keyword)));
  }

  #readUnion(parts: Parts, list: readonly unknown[], count: string): void {
    const before = this.lost.length;
    const branches = list.map((branch) => this.read(branch));
    // The union tells what a branch lost.
    this.lost.length = before;
    const union: Parts = { properties: new Map(), required: commonOf(branches), rest: new Map() };
    for (const { properties } of branches) {
      for (const [name, property] of properties) {
        const known = union.properties.get(name);
        if (known) known.or(property);
        else union.properties.set(name, property.copy());
      }
    }
    if (branches.length > 0 && branches.every(({ rest }) => rest.get(CLOSED) === false)) union.rest.set(CLOSED, false);
    this.#tell(branches, parts, count);
    addAll(parts, union);
  }

  #tell(branches: readonly Parts[], { required: always }: Parts, count: string): void {
    let words = "";
    for (const { properties, required } of branches) {
      if (words.length >= MAX_WORDS) break;
      const names = [...(required.size > 0 ? required : properties.keys())].filter((name) => !always.has(name));
      const fixed = names.slice(0, MAX_NAMES).map((name) => `${name}${properties.get(name)?.fixedValue ?? ""}`);
      words += `${words === "" ? "" : "; or "}${fixed.join(", ") || "nothing more"}`;
    }
    if (branches.length > 1)
      this.lost.push(`${count} of these sets of properties must be given: ${words.slice(0, MAX_WORDS)}.`);
  }
}

const CLOSED = "additionalProperties";

/** Adds the parts of another schema that must hold as well. Changes `parts`: a copy for each member would take quadratic time. */
function addAll(parts: Parts, added: Parts): void {
  for (const [name, property] of added.properties) {
    const known = parts.properties.get(name);
    if (known) known.and(property);
    else parts.properties.set(name, property);
  }
  for (const name of added.required) parts.required.add(name);
  // A closed member would forbid the properties of the others.
  const isWhole = added.properties.size === parts.properties.size;
  // The first description and the first limit stand nearest to the tool.
  for (const [keyword, value] of added.rest)
    if (keyword !== "type" && (keyword !== CLOSED || isWhole) && parts.rest.get(keyword) === undefined)
      parts.rest.set(keyword, value);
}

function commonOf(branches: readonly Parts[]): Set<string> {
  const [first, ...others] = branches;
  return new Set([...(first?.required ?? [])].filter((name) => others.every(({ required }) => required.has(name))));
}

/** The schemas of one property in all parts. */
class Property {
  readonly #keys: Keys;
  /** Each must hold. A list of several: one of them. */
  #all: Map<string, unknown>[];

  constructor(schema: unknown, keys: Keys) {
    this.#keys = keys;
    this.#all = [this.#listOf(schema)];
  }

  copy(): Property {
    const copy = new Property(undefined, this.#keys);
    copy.#all = this.#all.map((some) => new Map(some));
    return copy;
  }

  /** The value that the property must have, as words; undefined if it may have several. */
  get fixedValue(): string | undefined {
    const schema = this.toSchema();
    const values = isRecord(schema) ? valuesOf(schema) : undefined;
    return values?.length === 1 ? ` ${JSON.stringify(values[0])?.slice(0, 100)}` : undefined;
  }

  or(other: Property): void {
    const [some = new Map<string, unknown>()] = this.#all.length === 1 ? this.#all : [this.#listOf(this.toSchema())];
    const [others = []] = other.#all.length === 1 ? other.#all : [other.#listOf(other.toSchema())];
    for (const [key, schema] of others) some.set(key, schema);
    this.#all = [some];
  }

  and(other: Property): void {
    this.#all.push(...other.#all);
  }

  toSchema(): unknown {
    const members = this.#all.map((some) => toUnion([...some.values()]));
    return this.#join([...this.#listOf(...members).values()]);
  }

  #listOf(...schemas: unknown[]): Map<string, unknown> {
    return new Map(schemas.map((schema) => [this.#keys.of(schema), schema]));
  }

  /** One schema if no two disagree in a keyword. */
  #join(schemas: unknown[]): unknown {
    const [first] = schemas;
    if (schemas.length === 1) return first;
    const joined = new Map<string, unknown>();
    const keywords = schemas.flatMap((schema) => Object.entries(isRecord(schema) ? schema : { not: {} }));
    for (const [keyword, value] of keywords) {
      const known = joined.get(keyword);
      if (known === undefined) joined.set(keyword, value);
      else if (!ANNOTATIONS.has(keyword) && this.#keys.of(known) !== this.#keys.of(value)) return { allOf: schemas };
    }
    return joined.has("$ref") && joined.size > 1 ? { allOf: schemas } : Object.fromEntries(joined);
  }
}

/** Equal schemas have equal keys. Each schema is written out once. */
class Keys {
  readonly #known = new WeakMap<object, string>();

  of(schema: unknown): string {
    if (!isObject(schema)) return JSON.stringify(schema) ?? "";
    const known = this.#known.get(schema) ?? JSON.stringify(schema);
    this.#known.set(schema, known);
    return known;
  }
}

/** Values to choose from become one list. */
function toUnion(schemas: unknown[]): unknown {
  const [first] = schemas;
  if (schemas.length === 1) return first;
  const values = schemas.map((schema) => (isRecord(schema) ? valuesOf(schema) : undefined));
  const types = new Set(schemas.map((schema) => (isRecord(schema) ? schema["type"] : undefined)));
  if (!values.every((list) => list !== undefined) || types.size > 1) return { anyOf: schemas };
  const [type] = types;
  return { ...(type === undefined ? {} : { type }), enum: [...new Set(values.flat())] };
}

/** The values of a schema that lists them and says nothing else but a type and annotations. */
function valuesOf(schema: Schema): unknown[] | undefined {
  const { enum: list, const: value, type: _type, ...rest } = schema;
  if (!Object.keys(rest).every((keyword) => ANNOTATIONS.has(keyword))) return undefined;
  if (value !== undefined && list === undefined) return [value];
  return Array.isArray(list) && value === undefined ? list : undefined;
}
