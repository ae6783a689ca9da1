/** Measures the work that a schema makes, before anything works on it: a schema of a few kilobytes can stand for millions. */
import { isObject, isRecord } from "../../utils/is-object.js";
import { resolvePointer } from "../../utils/json-pointer.js";
import { findReferenceFault, isSoleReference, isTooDeep, MAX_CHAIN, MAX_SCHEMA_DEPTH } from "./schema-refs.js";

/**
 * The limit for all schemas of a request together, in characters once their references in `allOf` are merged. The largest
 * schema that a vendor documents has 120,000 (OpenAI, "Structured model outputs", 2026-11).
 */
export const MAX_MERGED_CHARACTERS = 2_000_000;

/** An entry of an object or a list counts so much, beside its characters. */
const ENTRY = 8;

/** The room for the schemas of one request. */
export class SchemaBudget {
  #left = MAX_MERGED_CHARACTERS;

  /** Takes the room of a schema, and says why it cannot be used: it is too deep or too large. Takes linear time. */
  take(schema: object): string | undefined {
    if (isTooDeep(schema)) return `it is nested deeper than ${MAX_SCHEMA_DEPTH} levels`;
    const { cycle, endless } = findReferenceFault(schema);
    if (endless !== undefined) return `it nests more than ${MAX_CHAIN} references`;
    const size = new Measure(schema, cycle !== undefined).size();
    if (size === Number.POSITIVE_INFINITY) return "it contains itself by allOf, which would never end";
    this.#left -= size;
    if (this.#left >= 0) return undefined;
    const all = size > MAX_MERGED_CHARACTERS ? "it has" : "the schemas of the request have";
    return `${all} more than ${MAX_MERGED_CHARACTERS} characters once allOf is merged`;
  }
}

/** Each part is measured once, however often it is referred to. */
class Measure {
  readonly #root: object;
  readonly #recursive: boolean;
  readonly #known = new Map<object, number>();
  readonly #replaced = new Map<object, number>();
  readonly #open = new Set<object>();

  constructor(root: object, recursive: boolean) {
    this.#root = root;
    this.#recursive = recursive;
  }

  /** Infinite for a schema that never ends. */
  size(): number {
    return this.#sizeOf(this.#root, 0);
  }

  #sizeOf(part: unknown, depth: number): number {
    if (!isObject(part)) return typeof part === "string" ? part.length : ENTRY;
    const known = this.#known.get(part);
    if (known !== undefined) return known;
    if (this.#open.has(part) || depth > MAX_CHAIN) return Number.POSITIVE_INFINITY;
    this.#open.add(part);
    let size = ENTRY;
    for (const [keyword, value] of Object.entries(part))
      size += ENTRY + keyword.length + this.#sizeOf(value, depth + 1);
    if (isRecord(part)) size += this.#sizeOfMerged(part, depth);
    this.#open.delete(part);
    this.#known.set(part, size);
    return size;
  }

  /** The members of `allOf` add so much when they replace their references. */
  #sizeOfMerged(part: Record<string, unknown>, depth: number): number {
    const { allOf } = part;
    if (!Array.isArray(allOf) || (this.#recursive && isSoleReference(part))) return 0;
    return allOf.reduce<number>((sum, member) => sum + this.#sizeOfReplaced(member, depth + 1), 0);
  }

  /** A member adds so much when it replaces its own reference, and those of what it refers to. */
  #sizeOfReplaced(member: unknown, depth: number): number {
    if (!isRecord(member)) return 0;
    const known = this.#replaced.get(member);
    if (known !== undefined) return known;
    if (depth > MAX_CHAIN) return Number.POSITIVE_INFINITY;
    const { $ref: reference, allOf } = member;
    const target = typeof reference === "string" ? resolvePointer(this.#root, reference) : undefined;
    let size = isRecord(target) ? this.#sizeOf(target, depth + 1) + this.#sizeOfReplaced(target, depth + 1) : 0;
    // In place it stays a reference, but not as a member.
    if (Array.isArray(allOf) && isSoleReference(member)) size += this.#sizeOfReplaced(allOf[0], depth + 1);
    this.#replaced.set(member, size);
    return size;
  }
}
