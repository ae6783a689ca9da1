/** Measures a schema before anything is checked by it: a few parts can stand for very many, or for work without end. */
import { isObject } from "../../utils/is-object.js";
import { resolvePointer } from "../../utils/json-pointer.js";

export interface SchemaSize {
  /** The number of values that the schema consists of. */
  written: number;
  /** The same with every reference replaced by what it refers to; infinite for a schema that contains itself. */
  expanded: number;
  /** Whether lists are searched for pairs. */
  hasPairs: boolean;
}

const ENDLESS = Number.POSITIVE_INFINITY;

/** Takes linear time: each part is measured once, however often it is referred to. */
export function measureSchema(root: object): SchemaSize {
  const known = new Map<object, number>();
  const open = new Set<object>();
  const size: SchemaSize = { written: 0, expanded: 0, hasPairs: false };

  function measure(part: unknown): number {
    if (!isObject(part)) {
      size.written++;
      return 1;
    }
    const found = known.get(part);
    if (found !== undefined) return found;
    if (open.has(part)) return ENDLESS;
    open.add(part);
    size.written++;
    let expanded = 1;
    for (const [word, value] of Object.entries(part)) {
      expanded += measure(value);
      if (word === "uniqueItems" && value === true) size.hasPairs = true;
      if (typeof value === "string") expanded += measureTarget(word, value, part === root);
    }
    open.delete(part);
    known.set(part, expanded);
    return expanded;
  }

  /** Returns the size that a keyword adds beside its own value. */
  function measureTarget(word: string, value: string, isRoot: boolean): number {
    // Where these lead depends on the way of a check through the schema.
    if (word === "$dynamicRef" || word === "$recursiveRef" || (word === "$id" && !isRoot)) return ENDLESS;
    if (word !== "$ref") return 0;
    const target = value.startsWith("#") ? resolvePointer(root, value) : undefined;
    return target === undefined ? ENDLESS : measure(target);
  }

  size.expanded = measure(root);
  return size;
}
