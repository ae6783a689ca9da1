/**
 * The schemas of MCP tools: the parameters as models and validators accept them, and the faults of output schemas. A
 * server's schema is hostile input: validation against it must take bounded time.
 */
import { isRecord } from "pi-ai/call";
import { describeWrongKeyword } from "../../schema-faults.js";

/**
 * The limits of a schema after every reference is replaced by its target. Tools of real servers have a few hundred parts
 * on ten levels.
 */
const MAX_PARTS = 5000;
const MAX_DEPTH = 100;

/**
 * The omitted keywords: regular expressions can take exponential time, ids clash, and the others need a document or a
 * draft that a validator may not have. The server checks its arguments itself.
 */
const OMITTED = /^(\$(?!ref$|defs$).*|id|pattern|patternProperties)$/;

/** The values of these keywords map arbitrary names to schemas. */
const MAPS = /^(properties|\$defs|definitions|dependentSchemas)$/;

/** The values of these keywords are data. */
const DATA = /^(const|default|enum|examples)$/;

/** The kind of a part of a schema: a schema, a map of names to schemas, or data, which also counts for the limits. */
type Kind = "schema" | "map" | "data";

function kindOf(parent: Kind, word: string): Kind {
  if (parent !== "schema") return parent === "map" ? "schema" : "data";
  if (DATA.test(word)) return "data";
  return MAPS.test(word) ? "map" : "schema";
}

/**
 * Copies the schema without the unsupported keywords, and with references replaced by their targets.
 *
 * @throws Error when the schema is too large
 */
export function toParameters(schema: unknown): object {
  let parts = 0;
  const following = new Set<unknown>();

  function copy(part: unknown, depth: number, kind: Kind = "schema"): unknown {
    if (++parts > MAX_PARTS || depth > MAX_DEPTH) throw new Error("Its schema is too large");
    if (Array.isArray(part)) return part.map((item) => copy(item, depth + 1, kind === "data" ? kind : "schema"));
    if (!isRecord(part)) return part;
    // To list very many entries takes several times as long as to count them.
    if (Object.keys(part).length > MAX_PARTS) throw new Error("Its schema is too large");
    const kept = Object.entries(part).filter(([word, value]) => kind !== "schema" || isKept(word, value, depth));
    // From entries, because an assignment to `__proto__` would set the prototype.
    return Object.fromEntries(kept.map(([word, value]) => [word, copy(value, depth + 1, kindOf(kind, word))]));
  }

  function isKept(word: string, value: unknown, depth: number): boolean {
    if (word === "type" || word === "required") return describeWrongKeyword(word, value) === undefined;
    if (word !== "$ref") return !OMITTED.test(word);
    if (typeof value !== "string" || value[0] !== "#") return false;
    // The target counts. A schema that contains itself counts once.
    if (!following.has(value)) {
      following.add(value);
      copy(resolve(value), depth + 1);
      following.delete(value);
    }
    return true;
  }

  function resolve(reference: string): unknown {
    const step = (target: unknown, name: string) =>
      isRecord(target) && Object.hasOwn(target, name) ? target[name] : undefined;
    return reference.split("/").slice(1).reduce(step, schema);
  }

  return { ...Object(copy(isRecord(schema) ? schema : {}, 0)), type: "object" };
}

const TYPES: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

/** The values of these keywords map names to schemas; those of the others are one schema, a list of them, or data. */
const SCHEMA_MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
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

/** The room for checks of patterns in a list of tools: an engine takes long even for some short ones. */
export interface PatternBudget {
  /** In characters. Patterns beyond it are not checked. */
  left: number;
}

export const createPatternBudget = (): PatternBudget => ({ left: 100_000 });

/** Returns the fault of a keyword's value, if it has one. */
type Check = (value: unknown, schema: unknown, budget: PatternBudget) => string | undefined;

const CHECKS: Readonly<Record<string, Check>> = {
  type: (value) => (listOf(value).every((name) => TYPES.has(name)) ? undefined : `its type is ${show(value)}`),
  $ref: (value, schema) => (isFound(schema, value) ? undefined : `the reference ${show(value)} leads nowhere`),
  pattern: (text, _schema, budget) => checkPattern(text, budget),
  patternProperties: (value, _schema, budget) =>
    isRecord(value) ? firstFault(Object.keys(value).map((text) => checkPattern(text, budget))) : undefined,
  properties: (value) => (isRecord(value) ? undefined : "its properties are not an object"),
  required: (value) =>
    Array.isArray(value) && value.every((name) => typeof name === "string")
      ? undefined
      : "its list of required properties is not a list of names",
};

/**
 * Finds the faults for which clients reject a tool's `outputSchema`, or every list and call of the tool. Checks only
 * what no client can use: anything else is up to the client, which knows more of JSON Schema.
 *
 * @throws Error that names the fault
 */
export function checkOutputSchema(schema: unknown, budget: PatternBudget): void {
  let parts = 0;

  function check(part: unknown, depth: number): void {
    if (++parts > MAX_PARTS || depth > MAX_DEPTH) throw invalid("it is too large");
    if (isRecord(part)) throwFault(part);
    for (const child of childrenOf(part)) check(child, depth + 1);
  }

  function throwFault(part: Record<string, unknown>): void {
    for (const [keyword, checkValue] of Object.entries(CHECKS)) {
      const fault = Object.hasOwn(part, keyword) ? checkValue(part[keyword], schema, budget) : undefined;
      if (fault !== undefined) throw invalid(fault);
    }
  }

  if (!isRecord(schema)) throw invalid("it is not an object");
  check(schema, 0);
}

function childrenOf(part: unknown): unknown[] {
  if (Array.isArray(part)) return part;
  if (!isRecord(part)) return [];
  const maps = SCHEMA_MAPS.map((keyword) => part[keyword]).filter(isRecord);
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

/** A property of characters, such as `\p{L}`: each takes a tenth of a millisecond. */
const PROPERTY = /\\p\{\w*=?\w*\}/gi;

function checkPattern(text: unknown, budget: PatternBudget): string | undefined {
  const pattern = String(text);
  budget.left -= pattern.length;
  if (budget.left < 0) return undefined;
  try {
    new RegExp(pattern.replaceAll(PROPERTY, "\\d"), "u");
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
