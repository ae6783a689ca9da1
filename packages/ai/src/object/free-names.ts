/** Finds objects whose property names are free, which a closed schema cannot describe. */
import { isObject, isRecord } from "../utils/is-object.js";

/** Whether a schema, or a part of it, describes an object with properties of any name, or a value of any type. */
export function hasFreeNames(schema: object): boolean {
  const seen = new Set<object>([schema]);
  // Iterating a set also visits elements that are added on the way.
  for (const part of seen) {
    if (isRecord(part) && hasOwnFreeNames(part)) return true;
    for (const child of Object.values(part)) if (isObject(child)) seen.add(child);
  }
  return false;
}

function hasOwnFreeNames({
  type,
  properties,
  additionalProperties,
  patternProperties,
}: Record<string, unknown>): boolean {
  if (isRecord(additionalProperties) || isRecord(patternProperties)) return true;
  const isEmpty = !isRecord(properties) || Object.keys(properties).length === 0;
  return type === "object" && isEmpty && additionalProperties !== false;
}
