/** Merges the members of `allOf` into one schema, for vendors that do not accept the keyword. */
import { isRecord } from "../utils/is-object.js";
import { resolvePointer } from "./schema-refs.js";

type Schema = Record<string, unknown>;

/** Keywords that do not constrain values, so that the last one wins. */
const ANNOTATIONS: ReadonlySet<string> = new Set(["title", "description", "default", "examples", "$comment"]);

/** Limits the merging of members that refer to each other. */
const MAX_MEMBERS = 1000;

/**
 * The members and the schema around them as one schema. Undefined if two of them contradict each other in a keyword, so
 * that no single schema can express both.
 */
export function mergeAllOf(schema: Schema, root: object): Schema | undefined {
  return new Merging(root).merge(schema);
}

class Merging {
  readonly #root: object;
  #members = 0;

  constructor(root: object) {
    this.#root = root;
  }

  merge(schema: Schema): Schema | undefined {
    const { allOf, ...rest } = schema;
    if (!Array.isArray(allOf)) return schema;
    let merged: Schema | undefined = rest;
    for (const member of allOf) {
      if (!merged || ++this.#members > MAX_MEMBERS) return undefined;
      const expanded: Schema | undefined = isRecord(member) ? this.#expand(member) : undefined;
      merged = expanded && combine(merged, expanded);
    }
    return merged;
  }

  #expand(member: Schema): Schema | undefined {
    const { $ref: reference, ...rest } = member;
    if (typeof reference !== "string") return this.merge(member);
    if (++this.#members > MAX_MEMBERS) return undefined;
    const target = resolvePointer(this.#root, reference);
    const combined = isRecord(target) ? combine(target, rest) : undefined;
    return combined && this.#expand(combined);
  }
}

function combine(one: Schema, other: Schema): Schema | undefined {
  const combined: Schema = { ...one };
  for (const [keyword, value] of Object.entries(other)) {
    const known = combined[keyword];
    const both = known === undefined || ANNOTATIONS.has(keyword) ? value : combineValues(keyword, known, value);
    if (both === undefined) return undefined;
    combined[keyword] = both;
  }
  return combined;
}

/** Undefined if the two contradict each other. */
function combineValues(keyword: string, one: unknown, other: unknown): unknown {
  if (keyword === "required" && Array.isArray(one) && Array.isArray(other)) return [...new Set([...one, ...other])];
  if (keyword === "properties" && isRecord(one) && isRecord(other)) {
    const clash = Object.keys(other).some((name) => Object.hasOwn(one, name) && !isEqual(one[name], other[name]));
    return clash ? undefined : { ...one, ...other };
  }
  // A closed member would forbid the properties of the others; the merged object is closed as a whole.
  if (keyword === "additionalProperties") return one;
  return isEqual(one, other) ? one : undefined;
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
