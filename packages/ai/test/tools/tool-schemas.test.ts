/** Schemas of tools as MCP servers have them, on every api: what a vendor refuses is not sent. */
import { getModel, type Model, type Tool } from "pi-ai";
import { describe, expect, test } from "vitest";
import { APIS, request, type SentRequest } from "./sent-tools.js";

type Schema = Record<string, unknown>;

const object = (properties: object, rest: object = {}): Schema => ({ type: "object", properties, ...rest });
const text = { type: "string" };
const branch = (name: string): Schema => object({ [name]: text }, { required: [name] });
const tool = (parameters: object, name = "t"): Tool => ({ name, description: "d", parameters });

/** A union inside a union of unions: each level is read twice by the one above. */
function doubling(depth: number): Schema {
  const levels = Array.from({ length: depth }, (_, level) => {
    const next = { $ref: `#/$defs/d${level + 1}` };
    return [`d${level}`, { [level % 2 ? "allOf" : "anyOf"]: [next, next] }] as const;
  });
  return { $ref: "#/$defs/d0", $defs: { ...Object.fromEntries(levels), [`d${depth}`]: branch("a") } };
}

const cyclic = { type: "object", properties: {} as Schema };
cyclic.properties["self"] = { anyOf: [{ $ref: "#" }, text] };

const deep = Array.from({ length: 400 }).reduce<Schema>((inner) => object({ in: inner }), text);

const SCHEMAS: Readonly<Record<string, object>> = {
  anyOf: { type: "object", anyOf: [branch("a"), branch("b")] },
  oneOf: { oneOf: [branch("a"), branch("b")] },
  allOf: { type: "object", allOf: [branch("a"), branch("b")] },
  "alternatives of required": object({ a: text, b: text }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
  "a union of unions": { anyOf: [{ oneOf: [branch("a"), branch("b")] }, { allOf: [branch("c"), branch("d")] }] },
  "branches by reference": {
    anyOf: [{ $ref: "#/definitions/A" }, { $ref: "#/$defs/B" }],
    definitions: { A: branch("a") },
    $defs: { B: branch("b") },
  },
  "a reference at the top": {
    $ref: "#/definitions/Input",
    definitions: { Input: branch("a") },
    $schema: "http://json-schema.org/draft-07/schema#",
  },
  "enum and not at the top": object({ a: text }, { enum: [{ a: "x" }], not: { required: ["b"] } }),
  "a bare object": { type: "object" },
  nothing: {},
  "bare lists": object({ a: { type: "array" }, b: object({ c: { type: ["array", "null"], description: "d" } }) }),
  "null keywords": { type: "object", properties: null, required: null, description: null, additionalProperties: null },
  "required: true": object(
    { a: { type: "string", required: true }, b: { ...text, required: false } },
    { required: true },
  ),
  "boolean schemas": object({ a: true, b: false, c: { type: "array", items: true } }),
  "a tuple": object({ a: { type: "array", items: [text, { type: "number" }], additionalItems: false } }),
  "prefix items": object({ a: { type: "array", prefixItems: [text, { type: "number" }], items: false } }),
  "old limits": object({ a: { type: "number", minimum: 1, exclusiveMinimum: true, exclusiveMaximum: false } }),
  "types of others": object({
    a: { type: "any" },
    b: { type: "int" },
    c: { type: ["str", "null"] },
    d: { type: "STRING" },
  }),
  "references to nothing": object({ a: { $ref: "#/$defs/none" }, b: { $ref: "https://example.com/schema" } }),
  "a reference into a branch": { anyOf: [branch("a"), object({ b: { $ref: "#/anyOf/0/properties/a" } })] },
  "a reference into a property": object({
    "a b": object({ c: text }),
    d: { $ref: "#/properties/a b" },
    e: { $ref: "#/properties/a%20b/properties/c" },
  }),
  "a reference with siblings": object(
    { v: { $ref: "#/$defs/v", description: "d", title: "t" } },
    { $defs: { v: object({ n: text }) } },
  ),
  "type beside a nested union": object({
    list: { type: "array", items: object({ a: text, b: text }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }) },
  }),
  "values without a type": object({
    a: { description: "anything" },
    b: { enum: ["x", "y"] },
    c: { const: 1 },
    d: { minimum: 1 },
  }),
  "a union of scalars beside a type": object({ a: { type: "string", anyOf: [{ minLength: 3 }, { format: "uuid" }] } }),
  "nested allOf": object({ a: { allOf: [{ $ref: "#/$defs/x" }, object({ y: text })] } }, { $defs: { x: branch("x") } }),
  "odd names": object(
    { $select: text, "a b": object({ "c/d": { type: "array", items: object({ "": text }) } }) },
    { required: ["$select", "a b"] },
  ),
  "names in __proto__": JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["__proto__"]}',
  ),
  "halves of characters": object({ "a\ud83d": { type: "string", description: "d\udc00", enum: ["x\ud83d", "y"] } }),
  "required names that are no properties": object({ a: text }, { required: ["a", "z", "a", 5] }),
  "a keyword with a wrong value": object({
    a: { type: "string", minLength: "3", pattern: 5, enum: [], anyOf: [], examples: "x", title: {} },
  }),
  recursion: cyclic,
  "allOf of itself": object({ a: { allOf: [{ $ref: "#" }, object({ b: text })] } }),
  depth: deep,
  "doubling unions": doubling(40),
  "a huge union": {
    anyOf: Array.from({ length: 3000 }, (_, index) =>
      object({ kind: { const: index }, [`p${index}`]: text }, { required: ["kind"] }),
    ),
  },
};

/** What some vendor refuses in a schema and in those inside it. */
function faults(schema: unknown, root: unknown, rules: Rules, path = "root"): string[] {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return [`${path} is no schema`];
  const fields = schema as Schema; // checked above
  const inside = childrenOf(fields).flatMap(([place, child]) => faults(child, root, rules, `${path}.${place}`));
  return [...ownFaults(fields, root, rules).map((fault) => `${path}: ${fault}`), ...inside];
}

function ownFaults(fields: Schema, root: unknown, rules: Rules): string[] {
  const { type, required, items, properties, $ref: reference } = fields;
  const types = [type].flat();
  const names = Object.keys(properties ?? {});
  const nulls = Object.entries(fields).filter(([name, value]) => value === null && name !== "default");
  return [
    ...nulls.map(([name]) => `${name} is null`),
    ...(required === undefined || Array.isArray(required) ? [] : ["required is no list"]),
    ...(Array.isArray(items) ? ["items is a list"] : []),
    ...(rules.properties && types.includes("object") && !properties ? ["no properties"] : []),
    ...(rules.items && types.includes("array") && !items ? ["no items"] : []),
    ...(typeof reference === "string" && !resolves(reference, root) ? [reference] : []),
    ...names.filter((name) => rules.names && !rules.names.test(name)),
    ...(rules.typed ? untyped(fields) : []),
  ];
}

function childrenOf(fields: Schema): [string, unknown][] {
  const maps = ["properties", "$defs", "definitions"];
  const lists = ["anyOf", "oneOf", "allOf", "prefixItems"];
  return [
    ...[...maps, ...lists].flatMap((keyword) =>
      Object.entries(fields[keyword] ?? {}).map(([name, child]): [string, unknown] => [`${keyword}.${name}`, child]),
    ),
    ...(fields["items"] === undefined ? [] : [["items", fields["items"]] satisfies [string, unknown]]),
  ];
}

function untyped(fields: Schema): string[] {
  const hasType = fields["type"] !== undefined;
  const union = fields["anyOf"] !== undefined || fields["$ref"] !== undefined;
  if (hasType && union) return ["a type beside a union or a reference"];
  if (fields["oneOf"] !== undefined || fields["allOf"] !== undefined) return ["oneOf or allOf"];
  return hasType || union || fields["enum"] !== undefined || fields["const"] !== undefined ? [] : ["no type"];
}

function resolves(reference: string, root: unknown): boolean {
  if (reference === "#") return true;
  const steps = decodeURIComponent(reference.slice(2)).split("/");
  // biome-ignore lint/suspicious/noExplicitAny: each step is checked by the next.
  return reference.startsWith("#/") && steps.reduce<any>((part, step) => part?.[step], root) !== undefined;
}

interface Rules {
  properties?: boolean;
  items?: boolean;
  names?: RegExp;
  typed?: boolean;
}

const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/;

function rulesOf(api: string): Rules {
  if (api === "anthropic-messages") return { names: PROPERTY };
  if (api === "bedrock-converse-stream") return { names: PROPERTY, items: true };
  return api.startsWith("google") ? {} : { properties: true, items: true };
}

const kimi = (provider: "moonshotai" | "kimi-coding", id: string): Model => getModel(provider, id as never);

const TARGETS = [
  ...APIS.map((party) => ({ ...party, title: party.api, rules: rulesOf(party.api) })),
  {
    title: "Moonshot",
    api: "openai-completions" as const,
    model: kimi("moonshotai", "kimi-k2.6"),
    apiKey: "k",
    rules: { typed: true },
  },
  {
    title: "Kimi Code",
    api: "openai-completions" as const,
    model: kimi("kimi-coding", "kimi-for-coding"),
    apiKey: "k",
    rules: { typed: true },
  },
];

const schemaOf = (sent: SentRequest): Schema => sent.tools[0]?.schema ?? {};

describe.each(TARGETS)("$title", (target) => {
  test.each(Object.entries(SCHEMAS))("%s", async (_, parameters) => {
    const before = JSON.stringify(parameters);
    const sent = await request(target, { messages: "go", tools: [tool(parameters)] });
    const schema = schemaOf(sent);
    expect(schema["type"]).toBe("object");
    for (const keyword of ["anyOf", "oneOf", "allOf", "enum", "not", "$ref"])
      expect(schema).not.toHaveProperty([keyword]);
    expect(faults(schema, schema, target.rules)).toEqual([]);
    expect(sent.text).not.toMatch(/\\ud[89a-f]/i);
    expect(sent.text.length).toBeLessThan(3 * before.length + 200_000);
    expect(JSON.stringify(parameters)).toBe(before);
    // A cache of the prompt holds if the same tools are the same text.
    const again = await request(target, { messages: "go", tools: [tool(structuredClone(parameters))] });
    expect(again.text).toBe(sent.text);
  });

  test("of a union stay the properties, what all require, and words for the rest", async () => {
    const either = object(
      { id: text },
      {
        required: ["id"],
        description: "Attaches.",
        oneOf: [
          object({ kind: { const: "file" }, path: text }, { required: ["kind", "path"] }),
          object({ kind: { const: "url" }, url: text }, { required: ["kind", "url"] }),
        ],
      },
    );
    const sent = await request(target, { messages: "go", tools: [tool(either, "attach")] });
    const schema = schemaOf(sent);
    expect(Object.keys(schema["properties"] as Schema)).toEqual(["id", "kind", "path", "url"]); // of the schema above
    expect(schema["required"]).toEqual(["id", "kind"]);
    expect(schema["properties"]).toMatchObject({ kind: { enum: ["file", "url"] } });
    expect(schema["description"]).toBe(
      'Attaches. Exactly one of these sets of properties must be given: kind "file", path; or kind "url", url.',
    );
    expect(sent.diagnostics).toContainEqual(
      expect.objectContaining({ type: "schema_narrowed", details: expect.objectContaining({ schema: "attach" }) }),
    );
  });

  test("a schema that the vendor takes is sent as it is, and nothing is told", async () => {
    const plain = object(
      { a: { type: "string", enum: ["x"] }, b: { type: "array", items: { type: "number" } }, c: object({ d: text }) },
      { required: ["a"], additionalProperties: false },
    );
    const sent = await request(target, { messages: "go", tools: [tool(plain)] });
    expect(JSON.stringify(schemaOf(sent))).toBe(JSON.stringify(plain));
    expect(sent.diagnostics.filter(({ type }) => type !== "model_ends")).toEqual([]);
  });
});

test("a long description goes on in that of the parameters, where the vendor limits it", async () => {
  const model = { ...getModel("openai", "gpt-5.4"), api: "openai-completions", baseUrl: "https://api.openai.com/v1" };
  const description = "word ".repeat(400).trim();
  const long: Tool = { ...tool(object({ a: text })), description };
  const sent = await request({ api: "openai-completions", model, apiKey: "k" }, { messages: "go", tools: [long] });
  const first = sent.tools[0]?.description ?? "";
  expect(first.length).toBeLessThanOrEqual(1024);
  expect(`${first} ${String(schemaOf(sent)["description"])}`).toBe(description);
});

test("a server on this machine gets unions as they are", async () => {
  const model = { ...getModel("openai", "gpt-5.4"), api: "openai-completions", baseUrl: "http://localhost:8080/v1" };
  const union = { type: "object", anyOf: [branch("a"), branch("b")] };
  const sent = await request(
    { api: "openai-completions", model, apiKey: "k" },
    { messages: "go", tools: [tool(union)] },
  );
  expect(schemaOf(sent)).toEqual(union);
});
