/** Renames properties whose names a vendor refuses, in a schema and in arguments, and renames them back. */
import type { SchemaDialect } from "../../catalogue/compat/index.js";
import { isRecord } from "../../utils/is-object.js";
import { resolvePointer } from "../../utils/json-pointer.js";
import { ownValue } from "../../utils/own-value.js";
import { alternativesOf, mapChildren, type Schema } from "./schema-children.js";

/** So many parts of a schema are asked for the properties of one object. */
const MAX_PARTS = 256;
const MAX_LENGTH = 64;

type Names = ReadonlyMap<string, string>;

/** The renamed properties of one tool. Undefined parts permit every value. */
export interface PropertyNames {
  /** The schema with the names that are sent. */
  readonly schema: Schema;
  /** By the name that the application knows. */
  readonly renamed: Names;
  /** Where a value stands: what the schema says about it. */
  readonly root: SchemaPlace;
}

/** @returns undefined if the vendor takes every name */
export function renameProperties(schema: Schema, dialect: SchemaDialect): PropertyNames | undefined {
  const names = new Set<string>();
  collectNames(schema, names);
  const renamed = new Map<string, string>();
  const used: UsedNames = { taken: new Set(names), counts: new Map() };
  for (const name of names) {
    if (isLegal(name, dialect)) continue;
    const sent = freeName(name, dialect, used);
    used.taken.add(sent);
    renamed.set(name, sent);
  }
  if (renamed.size === 0) return undefined;
  return { schema: rename(schema, renamed), renamed, root: new SchemaPlace([schema], schema, renamed) };
}

function isLegal(name: string, { propertyNames }: SchemaDialect): boolean {
  return propertyNames ? propertyNames.test(name) : name.isWellFormed();
}

interface UsedNames {
  readonly taken: Set<string>;
  /** By the beginning of a name, which all of its numbers share: the next number. Each is tried once, however many names have it. */
  readonly counts: Map<string, number>;
}

/** Room for a number behind the beginning of a name. */
const NUMBER_LENGTH = 8;

function freeName(name: string, { illegalInProperty }: SchemaDialect, { taken, counts }: UsedNames): string {
  const plain = illegalInProperty ? name.slice(0, 2 * MAX_LENGTH).replace(illegalInProperty, "_") : name.toWellFormed();
  const wanted = illegalInProperty ? plain.slice(0, MAX_LENGTH) || "_" : plain;
  const beginning = wanted.slice(0, MAX_LENGTH - NUMBER_LENGTH);
  let free = wanted;
  for (let count = counts.get(beginning) ?? 2; taken.has(free); count++) {
    free = `${wanted.slice(0, MAX_LENGTH - `_${count}`.length)}_${count}`;
    counts.set(beginning, count + 1);
  }
  return free;
}

function collectNames(schema: Schema, names: Set<string>): void {
  if (isRecord(schema["properties"])) for (const name of Object.keys(schema["properties"])) names.add(name);
  mapChildren(schema, (child) => {
    if (isRecord(child)) collectNames(child, names);
    return child;
  });
}

function rename(schema: Schema, renamed: Names): Schema {
  const inside = mapChildren(schema, (child) => (isRecord(child) ? rename(child, renamed) : child));
  const { properties, required, dependentRequired, dependentSchemas } = inside;
  return {
    ...inside,
    ...(isRecord(properties) ? { properties: renameKeys(properties, renamed, withOriginal) } : {}),
    ...(Array.isArray(required) ? { required: required.map((name) => renamed.get(name) ?? name) } : {}),
    ...(isRecord(dependentSchemas) ? { dependentSchemas: renameKeys(dependentSchemas, renamed) } : {}),
    ...(isRecord(dependentRequired)
      ? {
          dependentRequired: renameKeys(dependentRequired, renamed, (list) =>
            Array.isArray(list) ? list.map((name) => renamed.get(name) ?? name) : list,
          ),
        }
      : {}),
  };
}

function renameKeys(
  fields: Schema,
  renamed: Names,
  change: (value: unknown, name: string) => unknown = (value) => value,
): Schema {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const sent = renamed.get(name);
      return sent === undefined ? [name, value] : [sent, change(value, name)];
    }),
  );
}

/** The model reads the name that others use for the property. */
function withOriginal(schema: unknown, name: string): unknown {
  if (!isRecord(schema) || schema["$ref"] !== undefined) return schema;
  const { description } = schema;
  const given = typeof description === "string" && description !== "" ? `${description} ` : "";
  return { ...schema, description: `${given}(its name is ${JSON.stringify(name.toWellFormed().slice(0, 200))})` };
}

/** The parts of a schema that speak of one value inside the arguments. */
export class SchemaPlace {
  readonly #parts: readonly Schema[];
  readonly #root: Schema;
  readonly #renamed: Names;
  #known: readonly Schema[] | undefined;
  readonly #children = new Map<string, SchemaPlace>();
  #originals: Names | undefined;

  constructor(parts: readonly Schema[], root: Schema, renamed: Names) {
    this.#parts = parts;
    this.#root = root;
    this.#renamed = renamed;
  }

  /** The name of a property in the request. */
  toSent(name: string): string {
    const sent = this.#renamed.get(name);
    return sent !== undefined && this.#states(name) ? sent : name;
  }

  /** The name that the application knows. */
  toOriginal(sent: string): string {
    this.#originals ??= this.#listOriginals();
    return this.#originals.get(sent) ?? sent;
  }

  /** Arguments with the names that are sent. Returns the same object if none differs. */
  toSentArguments(value: unknown): unknown {
    if (Array.isArray(value)) {
      const items = value.map((item) => this.items.toSentArguments(item));
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    if (!isRecord(value)) return value;
    let changed = false;
    const fields = Object.entries(value).map(([name, child]): [string, unknown] => {
      const sent = this.toSent(name);
      const inside = this.property(name).toSentArguments(child);
      changed ||= sent !== name || inside !== child;
      return [sent, inside];
    });
    return changed ? Object.fromEntries(fields) : value;
  }

  /** The place of a property, by the name that the application knows. */
  property(name: string): SchemaPlace {
    return this.#child(`.${name}`, (part) => {
      const { properties, additionalProperties, patternProperties } = part;
      const own = isRecord(properties) ? ownValue(properties, name) : undefined;
      return own === undefined ? [additionalProperties, ...valuesOf(patternProperties)] : [own];
    });
  }

  /** The place of every item of a list. */
  get items(): SchemaPlace {
    return this.#child("[]", ({ items, prefixItems }) => [items, ...(Array.isArray(prefixItems) ? prefixItems : [])]);
  }

  #child(key: string, read: (part: Schema) => unknown[]): SchemaPlace {
    const known = this.#children.get(key);
    if (known) return known;
    const parts = this.#all().flatMap((part) => read(part).filter(isRecord));
    const child = new SchemaPlace(parts.slice(0, MAX_PARTS), this.#root, this.#renamed);
    // A model can send any number of names; those that the schema does not state share no place.
    if (parts.length > 0 && this.#children.size < MAX_PARTS) this.#children.set(key, child);
    return child;
  }

  #states(name: string): boolean {
    return this.#all().some(({ properties }) => isRecord(properties) && Object.hasOwn(properties, name));
  }

  #listOriginals(): Names {
    return new Map([...this.#renamed].flatMap(([name, sent]) => (this.#states(name) ? [[sent, name] as const] : [])));
  }

  /** The parts, those that they refer to, and their alternatives. */
  #all(): readonly Schema[] {
    if (this.#known) return this.#known;
    const found = new Set<Schema>(this.#parts);
    for (const part of found) {
      if (found.size > MAX_PARTS) break;
      const { $ref: reference } = part;
      const target = typeof reference === "string" ? resolvePointer(this.#root, reference) : undefined;
      for (const each of [target, ...alternativesOf(part)]) if (isRecord(each)) found.add(each);
    }
    this.#known = [...found].slice(0, MAX_PARTS);
    return this.#known;
  }
}

function valuesOf(fields: unknown): unknown[] {
  return isRecord(fields) ? Object.values(fields) : [];
}
