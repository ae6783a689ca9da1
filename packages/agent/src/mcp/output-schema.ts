/** Finds the faults for which clients reject a tool's `outputSchema`, or every list and call of the tool. */
import { isRecord } from "pi-ai/call";

/** The limits of a schema, as for the parameters of a tool. */
const MAX_PARTS = 5000;
const MAX_DEPTH = 100;

const TYPES: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

/** The values of these keywords map names to schemas; those of the others are one schema, a list of them, or data. */
const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const SCHEMAS = [
  "items",
  "prefixItems",
  "additionalProperties",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
];

/** Returns the fault of a keyword's value, if it has one. */
type Check = (value: unknown, schema: unknown) => string | undefined;

const CHECKS: Readonly<Record<string, Check>> = {
  type: (value) => (listOf(value).every((name) => TYPES.has(name)) ? undefined : `its type is ${show(value)}`),
  $ref: (value, schema) => (isFound(schema, value) ? undefined : `the reference ${show(value)} leads nowhere`),
  pattern: checkPattern,
  patternProperties: (value) => (isRecord(value) ? firstFault(Object.keys(value).map(checkPattern)) : undefined),
  properties: (value) => (isRecord(value) ? undefined : "its properties are not an object"),
  required: (value) =>
    Array.isArray(value) && value.every((name) => typeof name === "string")
      ? undefined
      : "its list of required properties is not a list of names",
};

/**
 * Checks only what no client can use: anything else is up to the client, which knows more of JSON Schema.
 *
 * @throws Error that names the fault
 */
export function checkOutputSchema(schema: unknown): void {
  let parts = 0;

  function check(part: unknown, depth: number): void {
    if (++parts > MAX_PARTS || depth > MAX_DEPTH) throw invalid("it is too large");
    if (isRecord(part)) throwFault(part);
    for (const child of childrenOf(part)) check(child, depth + 1);
  }

  function throwFault(part: Record<string, unknown>): void {
    for (const [keyword, checkValue] of Object.entries(CHECKS)) {
      const fault = Object.hasOwn(part, keyword) ? checkValue(part[keyword], schema) : undefined;
      if (fault !== undefined) throw invalid(fault);
    }
  }

  if (!isRecord(schema)) throw invalid("it is not an object");
  check(schema, 0);
}

function childrenOf(part: unknown): unknown[] {
  if (Array.isArray(part)) return part;
  if (!isRecord(part)) return [];
  const maps = MAPS.map((keyword) => part[keyword]).filter(isRecord);
  return [...maps.flatMap((map) => Object.values(map)), ...SCHEMAS.map((keyword) => part[keyword])].filter(isObject);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** References to other documents and to anchors are up to the client. */
function isFound(schema: unknown, reference: unknown): boolean {
  if (typeof reference !== "string" || !reference.startsWith("#/")) return true;
  let target = schema;
  for (const step of reference.split("/").slice(1)) {
    const name = decode(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, name)) return false;
    target = Reflect.get(target, name);
  }
  return true;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function checkPattern(text: unknown): string | undefined {
  try {
    new RegExp(String(text), "u");
    return undefined;
  } catch {
    return `the pattern ${show(text)} cannot be used`;
  }
}

function firstFault(faults: readonly (string | undefined)[]): string | undefined {
  return faults.find((fault) => fault !== undefined);
}

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, 80);
}

function invalid(fault: string): Error {
  return new Error(`Its output schema is invalid: ${fault}`);
}
