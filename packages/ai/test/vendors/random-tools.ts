/** Tools as MCP servers list them: their schemas use all of JSON Schema, and what generators make of it. */
import type { Tool } from "pi-ai";
import type { Kinds } from "./kinds.js";
import type { Random } from "./random.js";

const WORDS = ["path", "query", "limit", "filters", "id", "mode", "tags"] as const;
const ODD_WORDS = ["$select", "a b", "filter[name]", "größe", "x".repeat(80), "type", "required", "toString"] as const;

export function randomTools(random: Random, kinds: Kinds): Tool[] {
  const count = random.chance(0.01) && kinds.has("manyTools") ? 129 + random.below(80) : random.below(5);
  return Array.from({ length: count }, (_, index) => randomTool(random, kinds, index));
}

function randomTool(random: Random, kinds: Kinds, index: number): Tool {
  const name = `${random.pick(["read", "search_files", "mcp__docs__find", "get-weather"])}_${index}`;
  return {
    name: kinds.has("toolNames") && random.chance(0.1) ? oddName(random, kinds, index) : name,
    description: description(random, kinds),
    parameters: parameters(random, kinds),
    ...(random.chance(0.1) ? { strict: "prefer" as const } : {}),
  };
}

function oddName(random: Random, kinds: Kinds, index: number): string {
  const first = kinds.has("digitNames") ? "21st" : "st21";
  return random.pick([`${first}_magic_${index}`, `docs.find.${index}`, `a b ${index}`, `${"x".repeat(70)}${index}`]);
}

function description(random: Random, kinds: Kinds): string {
  const half = kinds.has("halfPairs") && random.chance(0.1) ? "\ud83d" : "";
  return random.pick(["Reads a file", "", "Long. ".repeat(300), "Sucht 功能 🙂"]) + half;
}

function parameters(random: Random, kinds: Kinds): object {
  const plain = objectSchema(random, kinds, 2);
  if (!kinds.has("schemas") || random.chance(0.5)) return plain;
  if (kinds.has("noObjects") && random.chance(0.1)) return random.pick(NO_OBJECTS) as object; // As a server sends it.
  const branch = (): object => objectSchema(random, kinds, 1);
  return random.pick<() => object>([
    () => ({ ...plain, [random.pick(["anyOf", "oneOf", "allOf"])]: [branch(), branch()] }),
    () => ({ [random.pick(["anyOf", "oneOf", "allOf"])]: [branch(), branch()] }),
    () => ({ ...plain, not: { required: ["none"] } }),
    () => ({ ...plain, enum: [{}] }),
    () => ({ type: "object" }),
    () => ({}),
    () => ({ type: "object", properties: null, required: null }),
    () => ({ ...plain, required: true }),
    () => ({ $schema: "http://json-schema.org/draft-07/schema#", ...plain, additionalProperties: false }),
    () => ({ ...plain, $defs: { node: recursive() }, properties: { root: { $ref: "#/$defs/node" } } }),
    () => ({ $ref: "#/$defs/root", $defs: { root: branch() } }),
    () => ({ ...plain, if: branch(), else: branch() }),
  ])();
}

const NO_OBJECTS: readonly unknown[] = [
  ...[true, false, [], null, { type: "array", items: { type: "string" } }, { type: "string" }, { const: {} }],
  ...[
    { type: ["object", "null"], properties: { a: {} } },
    { $ref: "#" },
    { enum: [{}, 1] },
    { properties: { a: true } },
  ],
];

function recursive(): object {
  return { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } } };
}

function objectSchema(random: Random, kinds: Kinds, depth: number): object {
  const odd = kinds.has("schemas") && random.chance(0.2) ? [random.pick(ODD_WORDS)] : [];
  const names = [...random.some(WORDS, 0.4), ...odd];
  const properties = Object.fromEntries(names.map((name) => [name, propertySchema(random, kinds, depth)]));
  const required = random.some(names);
  return { type: "object", properties, ...(required.length > 0 || random.chance(0.5) ? { required } : {}) };
}

function propertySchema(random: Random, kinds: Kinds, depth: number): unknown {
  const plain: (() => unknown)[] = [
    () => ({ type: "string", description: "A text" }),
    () => ({ type: "integer", minimum: 0, maximum: 100, default: 10 }),
    () => ({ type: "boolean" }),
    () => ({ type: "string", enum: ["a", "b"] }),
    () => ({ type: "array", items: { type: "string" } }),
    () => (depth > 0 ? objectSchema(random, kinds, depth - 1) : { type: "number" }),
  ];
  const wild: (() => unknown)[] = [
    () => ({ type: "array" }),
    () => ({ type: "object" }),
    () => ({ type: ["string", "null"] }),
    () => ({ type: ["string", "array"] }),
    () => ({ description: "Anything" }),
    () => ({}),
    () => true,
    () => ({ anyOf: [{ type: "string" }, { type: "null" }] }),
    () => ({ type: "string", anyOf: [{ minLength: 1 }, { enum: [""] }] }),
    () => ({ oneOf: [{ const: 1 }, { const: "b" }] }),
    () => ({ enum: kinds.has("mixedEnums") ? [1, 2, null] : ["a", "b"] }),
    () => ({ const: "x" }),
    () => ({ type: "array", items: [{ type: "number" }, { type: "number" }] }),
    () => ({ type: "array", prefixItems: [{ type: "number" }], minItems: 1 }),
    () => ({ type: "object", additionalProperties: { type: "string" } }),
    () => ({ type: "object", patternProperties: { "^x-": { type: "string" } } }),
    () => ({ type: "string", format: "uri", pattern: "^https?://" }),
    () => ({ allOf: [{ type: "object", properties: { a: { type: "string" } } }, { required: ["a"] }] }),
    () => ({ type: "number", exclusiveMinimum: true, minimum: 0 }),
    () => ({ type: "object", properties: { inner: { type: "object", required: null } } }),
  ];
  return random.pick(kinds.has("schemas") ? [...plain, ...wild] : plain)();
}
