/** Reads the references inside a document of JSON. */
import { isObject } from "./is-object.js";

/** The part of a schema at a reference such as `#/$defs/node`. */
export function resolvePointer(root: unknown, reference: string): unknown {
  let part = root;
  for (const segment of decodePointer(reference)) {
    if (!isObject(part) || !Object.hasOwn(part, segment)) return undefined;
    part = Reflect.get(part, segment);
  }
  return part;
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
