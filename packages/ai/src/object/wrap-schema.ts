/** Wraps a schema for a list, a union or a single value in an object schema, because every provider accepts that. */
import { isObject, isRecord } from "../utils/is-object.js";
import { ownValue } from "../utils/own-value.js";

/** The property that holds the value. */
const WRAPPED = "value";
/** References to these stay valid, because the wrapper copies the definitions. */
const DEFINITIONS = ["$defs", "definitions"];

/** Keywords that can make a schema of `type: "object"` permit something that providers refuse at the top level. */
const COMPOSED = ["anyOf", "oneOf", "allOf", "not", "if", "enum", "const", "$ref"];

interface WrappedSchema {
  /** Describes an object. */
  schema: object;
  /** Whether the value is in a property of that object. */
  wrapped: boolean;
}

export function wrapSchema(schema: object): WrappedSchema {
  if (isPlainObjectSchema(schema)) return { schema, wrapped: false };
  const { $schema: _dialect, $id: _id, $defs, definitions, ...rest } = { ...schema } as Record<string, unknown>;
  const inner = moveReferences({ ...rest, ...($defs ? { $defs } : {}), ...(definitions ? { definitions } : {}) });
  const { $defs: movedDefs, definitions: movedDefinitions, ...value } = inner as Record<string, unknown>;
  const wrapper = {
    type: "object",
    properties: { [WRAPPED]: value },
    required: [WRAPPED],
    additionalProperties: false,
    ...(movedDefs ? { $defs: movedDefs } : {}),
    ...(movedDefinitions ? { definitions: movedDefinitions } : {}),
  };
  return { schema: wrapper, wrapped: true };
}

/** The value inside a wrapper; undefined while it is missing. */
export function unwrap(value: unknown): unknown {
  return isRecord(value) ? ownValue(value, WRAPPED) : undefined;
}

function isPlainObjectSchema(schema: object): boolean {
  if (!isRecord(schema) || COMPOSED.some((keyword) => schema[keyword] !== undefined)) return false;
  return schema["type"] === "object";
}

/** Adjusts references, which start at the root: the root is now one level up. */
function moveReferences(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(moveReferences);
  if (!isObject(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([keyword, value]) => [
      keyword,
      keyword === "$ref" && typeof value === "string" ? moveReference(value) : moveReferences(value),
    ]),
  );
}

function moveReference(reference: string): string {
  if (!reference.startsWith("#")) return reference;
  if (DEFINITIONS.some((keyword) => reference.startsWith(`#/${keyword}/`))) return reference;
  return `#/properties/${WRAPPED}${reference.slice(1)}`;
}

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
