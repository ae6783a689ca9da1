/** Follows the references inside a schema. */
import { isObject, isRecord } from "../../utils/is-object.js";

/** Deeper schemas are refused, because readers of a schema recurse. */
export const MAX_SCHEMA_DEPTH = 100;

/**
 * Finds a reference that leads back to a part which contains it, and one that leaves the schema. `#/definitions/x` and
 * other pointers count alike.
 */
export function findReferenceFault(root: object): { cycle?: string; external?: string } {
  const done = new Set<object>();
  const open = new Set<object>();
  const fault: { cycle?: string; external?: string } = {};
  const visit = (part: unknown): void => {
    if (!isObject(part) || done.has(part)) return;
    open.add(part);
    const reference = isRecord(part) ? part["$ref"] : undefined;
    if (typeof reference === "string") follow(reference);
    for (const child of Object.values(part)) visit(child);
    open.delete(part);
    done.add(part);
  };
  const follow = (reference: string): void => {
    const target = reference.startsWith("#") ? resolvePointer(root, reference) : undefined;
    if (target === undefined) fault.external ??= reference;
    else if (isObject(target) && open.has(target)) fault.cycle ??= reference;
    else visit(target);
  };
  visit(root);
  return fault;
}

/** The part of a schema at a reference such as `#/$defs/node`. */
export function resolvePointer(root: unknown, reference: string): unknown {
  let part = root;
  for (const segment of decodePointer(reference)) {
    if (!isObject(part) || !Object.hasOwn(part, segment)) return undefined;
    part = Reflect.get(part, segment);
  }
  return part;
}

/** Whether a schema is nested too deep to be read by recursion. */
export function isTooDeep(schema: unknown, depth = 0): boolean {
  if (depth > MAX_SCHEMA_DEPTH) return true;
  return isObject(schema) && Object.values(schema).some((child) => isTooDeep(child, depth + 1));
}

function decodePointer(reference: string): string[] {
  const pointer = decodeSafely(reference.slice(1));
  return pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** A malformed escape is read as it is written. */
function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
