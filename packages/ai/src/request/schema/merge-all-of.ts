/** Merges the members of `allOf`, for vendors that have no such keyword. */
import { isRecord } from "../../utils/is-object.js";
import { resolvePointer } from "../../utils/json-pointer.js";
import { ANNOTATIONS } from "./schema-refs.js";

type Schema = Record<string, unknown>;

/** Merges the parts of one schema. Each member is read once, however often it is referred to. */
export class AllOfMerging {
  readonly #root: object;
  readonly #flat = new Map<Schema, Schema | undefined>();

  /** @param root a schema that a `SchemaBudget` has room for, so that no part contains itself by `allOf` */
  constructor(root: object) {
    this.#root = root;
  }

  /**
   * The members and the schema around them as one schema. Undefined if two of them contradict each other in a keyword, so
   * that no single schema can express both.
   */
  merge(schema: Schema): Schema | undefined {
    const { allOf, ...rest } = schema;
    if (!Array.isArray(allOf)) return schema;
    const flat = allOf.map((member) => (isRecord(member) ? this.#flatten(member) : undefined));
    return join([rest, ...flat]);
  }

  /** A member with its references replaced by what they refer to. */
  #flatten(member: Schema): Schema | undefined {
    if (this.#flat.has(member)) return this.#flat.get(member);
    const { $ref: reference, ...rest } = member;
    const flat = typeof reference === "string" ? this.#replace(reference, rest) : this.merge(member);
    this.#flat.set(member, flat);
    return flat;
  }

  #replace(reference: string, rest: Schema): Schema | undefined {
    const target = resolvePointer(this.#root, reference);
    return join([isRecord(target) ? this.#flatten(target) : undefined, this.merge(rest)]);
  }
}

/** Undefined if one is missing, or if two contradict each other. */
function join(schemas: (Schema | undefined)[]): Schema | undefined {
  const joined = new JoinedSchema();
  const fits = schemas.every((schema) => schema && joined.add(schema));
  return fits ? joined.toSchema() : undefined;
}

/** Grows by one schema after the other. An added schema is never copied again. */
class JoinedSchema {
  /** `properties` are a map, and `required` is a set. */
  readonly #keywords = new Map<string, unknown>();

  /** Whether the schema does not contradict the earlier ones. */
  add(schema: Schema): boolean {
    return Object.entries(schema).every(([keyword, value]) => this.#addKeyword(keyword, value));
  }

  #addKeyword(keyword: string, value: unknown): boolean {
    const known = this.#keywords.get(keyword);
    if (known instanceof Map && isRecord(value)) return addProperties(known, value);
    if (known instanceof Set && Array.isArray(value)) {
      for (const name of value) known.add(name);
      return true;
    }
    // Of what does not constrain values, the last one wins.
    if (known === undefined || ANNOTATIONS.has(keyword)) this.#keywords.set(keyword, toGrowing(keyword, value));
    // A closed member would forbid the properties of the others; the merged object is closed as a whole.
    else if (keyword !== "additionalProperties") return isEqual(known, value);
    return true;
  }

  toSchema(): Schema {
    // From entries, because an assignment to `__proto__` would set the prototype.
    return Object.fromEntries(
      Array.from(this.#keywords, ([keyword, value]) => {
        if (value instanceof Map) return [keyword, Object.fromEntries(value)];
        return [keyword, value instanceof Set ? [...value] : value];
      }),
    );
  }
}

function toGrowing(keyword: string, value: unknown): unknown {
  if (keyword === "properties" && isRecord(value)) return new Map(Object.entries(value));
  return keyword === "required" && Array.isArray(value) ? new Set(value) : value;
}

function addProperties(known: Map<string, unknown>, properties: Schema): boolean {
  return Object.entries(properties).every(([name, value]) => {
    if (!known.has(name)) known.set(name, value);
    return isEqual(known.get(name), value);
  });
}

function isEqual(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
