/** Follows the references inside a schema. */
import { isObject, isRecord } from "../../utils/is-object.js";
import { resolvePointer } from "../../utils/json-pointer.js";

/** Deeper schemas are refused, because readers of a schema recurse. */
export const MAX_SCHEMA_DEPTH = 100;

/** The longest way through a schema along its references. Longer ones are refused, because they are followed by recursion. */
export const MAX_CHAIN = 1000;

/** Keywords that do not constrain values: beside a reference, they do not change what it permits. */
export const ANNOTATIONS: ReadonlySet<string> = new Set(["title", "description", "default", "examples", "$comment"]);

/** Whether `allOf` stands only for a reference with a description, as Pydantic 1 writes it. */
export function isSoleReference({ allOf, ...rest }: Record<string, unknown>): boolean {
  if (!Array.isArray(allOf) || allOf.length !== 1 || !isRecord(allOf[0])) return false;
  const others = [...Object.keys(rest), ...Object.keys(allOf[0]).filter((keyword) => keyword !== "$ref")];
  return typeof allOf[0]["$ref"] === "string" && others.every((keyword) => ANNOTATIONS.has(keyword));
}

export interface ReferenceFaults {
  /** A reference that leads back to a part which contains it. */
  cycle?: string;
  /** A reference that leaves the schema. */
  external?: string;
  /** A reference after too many others. What follows was not read. */
  endless?: string;
}

/** Finds the faults of references. `#/definitions/x` and other pointers count alike. */
export function findReferenceFault(root: object): ReferenceFaults {
  const done = new Set<object>();
  const open = new Set<object>();
  const fault: ReferenceFaults = {};
  const visit = (part: unknown, via: string): void => {
    if (fault.endless !== undefined || !isObject(part) || done.has(part)) return;
    if (open.has(part)) {
      fault.cycle ??= via;
      return;
    }
    open.add(part);
    const reference = isRecord(part) ? part["$ref"] : undefined;
    if (typeof reference === "string") follow(reference);
    for (const child of Object.values(part)) visit(child, via);
    open.delete(part);
    done.add(part);
  };
  const follow = (reference: string): void => {
    const target = reference.startsWith("#") ? resolvePointer(root, reference) : undefined;
    if (target === undefined) fault.external ??= reference;
    else if (open.size > MAX_CHAIN) fault.endless ??= reference;
    else visit(target, reference);
  };
  visit(root, "#");
  return fault;
}

/** Whether a schema is nested too deep to be read by recursion. */
export function isTooDeep(schema: unknown, depth = 0): boolean {
  if (depth > MAX_SCHEMA_DEPTH) return true;
  return isObject(schema) && Object.values(schema).some((child) => isTooDeep(child, depth + 1));
}
