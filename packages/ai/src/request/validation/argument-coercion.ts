/** Coerces arguments to the types of a schema, and adds its defaults. Values that fit are never changed. */

import { isRecord } from "../../utils/is-object.js";
import { setOwn } from "../../wire/index.js";
import { coercePrimitive, hasType } from "./coerce-primitive.js";
import type { CompiledSchema } from "./json-schema.js";
import { countValues } from "./work-limit.js";

/** A part of a schema and its location. */
interface Part {
  schema: Record<string, unknown>;
  /** JSON pointer from the root of the schema. */
  pointer: string;
  /** The number of references and alternatives followed without a step into the value: a limit for circular schemas. */
  hops: number;
}

const MAX_HOPS = 32;

/** Thrown when a schema with many nested alternatives would take forever. */
class TooManyStepsError extends Error {}

/** Changes a value, which must be the caller's own copy, to fit a schema better. The result may still not fit. */
export function coerceArguments(schema: CompiledSchema, value: unknown): unknown {
  return apply(new Coercion(schema, applyType), value);
}

/** Gives the default to each absent property of a value, which must be the caller's own copy and fit the schema. */
export function addDefaults(schema: CompiledSchema, value: unknown): unknown {
  return apply(new Coercion(schema, undefined), value);
}

function apply(coercion: Coercion, value: unknown): unknown {
  try {
    return coercion.applyRoot(value);
  } catch (error) {
    if (error instanceof TooManyStepsError) return value;
    throw error;
  }
}

class Coercion {
  readonly #compiled: CompiledSchema;
  /** Converts a value to the types of its schema. Without it, only defaults are added. */
  readonly #convert: typeof applyType | undefined;

  constructor(compiled: CompiledSchema, convert: typeof applyType | undefined) {
    this.#compiled = compiled;
    this.#convert = convert;
  }

  applyRoot(value: unknown): unknown {
    return this.#apply(toPart(this.#compiled.root, "", 0), value);
  }

  #spend(steps: number): void {
    if (!this.#compiled.spend(steps)) throw new TooManyStepsError();
  }

  #copy(value: unknown): unknown {
    this.#spend(countValues(value));
    return typeof value === "object" && value !== null ? structuredClone(value) : value;
  }

  #apply(part: Part | undefined, value: unknown): unknown {
    if (!part || part.hops > MAX_HOPS) return value;
    const { schema } = part;
    this.#spend(1 + Object.keys(schema).length);
    let result = this.#apply(this.#resolve(part), value);
    for (const member of children(part, "allOf")) result = this.#apply(member, result);
    for (const word of ["anyOf", "oneOf"]) result = this.#applyUnion(children(part, word), result);
    if (this.#convert) result = this.#convert(schema, result);
    if (Array.isArray(result)) this.#applyItems(part, result);
    else if (isRecord(result)) this.#applyProperties(part, result);
    return result;
  }

  /** The first alternative that the value fits, with its defaults, or that it can be coerced to. */
  #applyUnion(members: Part[], value: unknown): unknown {
    this.#spend(members.length);
    const fitting = members.find((member) => this.#fits(member, value));
    if (fitting) return this.#withDefaults(fitting, value);
    for (const member of this.#convert ? members : []) {
      const candidate = this.#apply(member, this.#copy(value));
      if (this.#fits(member, candidate)) return candidate;
    }
    return value;
  }

  /** A default may contradict the schema that names it. Then the value stays as it is. */
  #withDefaults(member: Part, value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    const candidate = this.#apply(member, this.#copy(value));
    return this.#fits(member, candidate) ? candidate : value;
  }

  #applyItems(part: Part, list: unknown[]): void {
    const { schema, pointer } = part;
    const word = Array.isArray(schema["prefixItems"]) ? "prefixItems" : "items";
    const first = children(part, word);
    const rest = word === "items" && Array.isArray(schema["items"]) ? "additionalItems" : "items";
    const other = toPart(schema[rest], `${pointer}/${rest}`, 0);
    for (let index = 0; index < list.length; index++)
      list[index] = this.#apply(inValue(first[index]) ?? other, list[index]);
  }

  #applyProperties(part: Part, target: Record<string, unknown>): void {
    const { schema, pointer } = part;
    const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
    this.#spend(Object.keys(properties).length);
    for (const key of Object.keys(properties)) {
      this.#applyProperty(schema, key, toPart(properties[key], `${pointer}/properties/${encode(key)}`, 0), target);
    }
    const additional = toPart(schema["additionalProperties"], `${pointer}/additionalProperties`, 0);
    if (!additional) return;
    for (const key of Object.keys(target)) {
      if (!Object.hasOwn(properties, key)) setOwn(target, key, this.#apply(additional, target[key]));
    }
  }

  #applyProperty(
    schema: Record<string, unknown>,
    key: string,
    part: Part | undefined,
    target: Record<string, unknown>,
  ): void {
    if (!part) return;
    if (!Object.hasOwn(target, key)) {
      const source = this.#findDefault(part);
      if (source) setOwn(target, key, this.#apply(part, this.#copy(source["default"])));
      return;
    }
    const value = target[key];
    if (this.#convert && value === null && !isRequired(schema, key) && !this.#fits(part, null)) delete target[key];
    else setOwn(target, key, this.#apply(part, value));
  }

  /** The schema that states the default of a part: itself, or what it refers to. */
  #findDefault(part: Part | undefined): Record<string, unknown> | undefined {
    if (!part || part.hops > MAX_HOPS) return undefined;
    return Object.hasOwn(part.schema, "default") ? part.schema : this.#findDefault(this.#resolve(part));
  }

  #fits(part: Part, value: unknown): boolean {
    return this.#compiled.fits(part.pointer, value);
  }

  /** The target of `$ref` inside the same document. */
  #resolve(part: Part): Part | undefined {
    const reference = part.schema["$ref"];
    if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
    const pointer = decodeURIComponent(reference.slice(1));
    let target: unknown = this.#compiled.root;
    for (const segment of pointer.split("/").slice(1)) {
      const key = segment.replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) return undefined;
      target = Reflect.get(target, key);
    }
    return toPart(target, pointer, part.hops + 1);
  }
}

function applyType(schema: Record<string, unknown>, value: unknown): unknown {
  const types = [schema["type"]].flat().filter((type) => typeof type === "string");
  if (types.some((type) => hasType(value, type)) || (value === null && schema["nullable"] === true)) return value;
  for (const type of types) {
    const coerced = coercePrimitive(value, type);
    if (coerced !== undefined) return coerced;
  }
  return value;
}

/** The parts in a list; empty if there is no list. A boolean part requires no type. */
function children(part: Part, word: string): Part[] {
  const list = part.schema[word];
  if (!Array.isArray(list)) return [];
  return list.map((schema, index) => ({
    schema: isRecord(schema) ? schema : {},
    pointer: `${part.pointer}/${word}/${index}`,
    hops: part.hops + 1,
  }));
}

function inValue(part: Part | undefined): Part | undefined {
  return part && { ...part, hops: 0 };
}

function toPart(schema: unknown, pointer: string, hops: number): Part | undefined {
  return isRecord(schema) ? { schema, pointer, hops } : undefined;
}

function isRequired(schema: Record<string, unknown>, key: string): boolean {
  const required = schema["required"];
  return Array.isArray(required) && required.includes(key);
}

function encode(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
