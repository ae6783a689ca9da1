import { Type } from "@sinclair/typebox";
import type { Tool } from "pi-ai";
import { validateToolArguments, validateToolCall } from "pi-ai/validation";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createCall, createTool, messageOf, validate, withX } from "../../../test/tool-arguments.js";
import { clipText } from "./describe-errors.js";
import { stepsFor } from "./work-limit.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

it("treats TypeBox schemas and plain ones the same", () => {
  const schema = Type.Object({
    n: Type.Integer(),
    o: Type.Optional(Type.String()),
    t: Type.Tuple([Type.Number(), Type.Boolean()]),
  });
  const plain: unknown = JSON.parse(JSON.stringify(schema));
  for (const parameters of [schema, Object(plain)]) {
    expect(validate(parameters, { n: "3", o: null, t: ["1", "true"] })).toStrictEqual({ n: 3, t: [1, true] });
    expect(messageOf(parameters, { n: "3.5", t: [1, true] })).toContain("  - n: must be integer");
  }
});

it("bounds the steps of a check, which grow with the schema and the arguments", () => {
  const size = { written: 10, expanded: 10, hasPairs: false };
  expect(stepsFor(size, 20)).toBe(300_200);
  expect(stepsFor({ ...size, written: 100_000 }, 100_000)).toBe(2_500_000);
});

it("survives a schema that refers to itself infinitely", () => {
  const endless = {
    allOf: Array(4).fill({ $ref: "#/$defs/a" }),
    $defs: { a: { allOf: Array(4).fill({ $ref: "#" }) } },
  };
  expect(() => validate(endless, { x: 1 })).toThrow("could not be checked");
});

it.each([
  ['{"n":1e999}', "n"],
  ['{"n":-1e999}', "n"],
  ['{"list":[1,{"deep":1e400}]}', "list.1.deep"],
])("rejects a number that is too large to represent: %s", (text, path) => {
  const schema = { type: "object", properties: { n: { type: "number" } } };
  expect(messageOf(schema, JSON.parse(text))).toContain(
    `  - ${path}: must be a number that is not too large to represent`,
  );
});

it.each([
  ["integer", "9007199254740993"],
  ["number", "9007199254740993"],
  ["integer", "-9007199254740993.0"],
  ["number", "1e999"],
])("does not round a text to a nearby %s: %s", (type, n) => {
  const message = messageOf({ type: "object", properties: { n: { type } } }, { n });
  expect(message).toContain(`  - n: must be ${type}`);
});

it("still converts the largest exact integer, and decimals", () => {
  const schema = { type: "object", properties: { n: { type: "number" } } };
  expect(validate(schema, { n: "9007199254740991" })).toEqual({ n: 9007199254740991 });
  expect(validate(schema, { n: "0.1" })).toEqual({ n: 0.1 });
});

it("shows the head and the tail of long arguments, and limits the names in its lines", () => {
  const schema = { type: "object", additionalProperties: { type: "number" } };
  const message = messageOf(schema, { a: "first", ["k".repeat(5_000_000)]: "x".repeat(5_000_000), z: "last" });
  expect(message.length).toBeLessThan(4000);
  expect(message).toContain('"a": "first"');
  expect(message).toContain('"z": "last"');
  expect(message).toMatch(/… \(\d+ characters left out\) …/);
});

it("writes errors for a model to read", () => {
  const parameters = {
    type: "object",
    properties: {
      path: { type: "string" },
      edits: { type: "array", items: withX({ type: "number" }) },
      "a/b": { type: "number" },
    },
    required: ["path"],
    additionalProperties: false,
  };
  expect(messageOf(parameters, { edits: [{ x: 1 }, {}, { x: "no" }], "a/b": "no", more: 1 })).toBe(
    `Validation failed for tool "edit":
  - path: must have required property 'path'
  - root: must NOT have additional properties: "more"
  - edits.1.x: must have required property 'x'
  - edits.2.x: must be number
  - a/b: must be number

Received arguments:
{
  "edits": [
    {
      "x": 1
    },
    {},
    {
      "x": "no"
    }
  ],
  "a/b": "no",
  "more": 1
}`,
  );
});

it("lists at most fifty errors", () => {
  const message = messageOf({ type: "array", items: { type: "number" } }, Array(60).fill("x"));
  expect(message.match(/must be number/g)).toHaveLength(50);
  expect(message).toContain("  - … and 10 more\n");
});

it("does not mistake inherited names for properties", () => {
  const parameters = { type: "object", properties: { constructor: { type: "string" } }, required: ["constructor"] };
  expect(messageOf(parameters, {})).toContain("  - constructor: must have required property 'constructor'");
});

it("keeps __proto__ plain data", () => {
  const args: unknown = JSON.parse('{"__proto__":{"n":"1"},"n":"1"}');
  const any = { type: "object", properties: { n: { type: "number" } }, additionalProperties: { type: "object" } };
  const result = validate(any, args);
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  expect(JSON.stringify(result)).toBe('{"__proto__":{"n":"1"},"n":1}');
});

it("rejects arguments that are nested too deep", () => {
  let deep: unknown = [];
  for (let i = 0; i < 100_000; i++) deep = [deep];
  const parameters = {
    type: "object",
    properties: { x: { $ref: "#/$defs/list" } },
    $defs: { list: { type: "array", items: { $ref: "#/$defs/list" } } },
  };
  expect(messageOf(parameters, { x: deep })).toBe(
    'Validation failed for tool "edit":\n  - root: must NOT be nested deeper than 256 levels\n\nReceived arguments:\n(too deep to show)',
  );
});

it("reports which tool has an invalid schema, and why", () => {
  expect(messageOf({ type: "strng" }, {})).toMatch(/^The parameter schema of tool "edit" cannot be used: .*strng/);
  expect(messageOf({ $ref: "#/nowhere" }, {})).toMatch(
    /^The parameter schema of tool "edit" cannot be used: .*#\/nowhere/,
  );
});

it("accepts two schemas with the same id, and all named drafts", () => {
  for (const draft of [
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
  ]) {
    const parameters = {
      $schema: draft,
      $id: "https://example.com/same",
      ...withX({ anyOf: [{ $ref: "#/definitions/n" }, { type: "null" }] }),
      definitions: { n: { type: "number" } },
    };
    expect(validate(parameters, { x: "1" })).toEqual({ x: 1 });
  }
});

it("compiles a schema once", () => {
  const tool = createTool(withX({ type: "number" }));
  const compile = vi.fn(Function);
  vi.stubGlobal("Function", compile);
  validateToolArguments(tool, createCall({ x: "1" }));
  const compiled = compile.mock.calls.length;
  expect(compiled).toBeGreaterThan(0);
  validateToolArguments(tool, createCall({ x: "2" }));
  expect(compile).toHaveBeenCalledTimes(compiled);
});

describe("a runtime that forbids code generation from strings", () => {
  beforeEach(() => {
    vi.stubGlobal("Function", function forbidden() {
      throw new EvalError("Code generation from strings disallowed for this context");
    });
  });
  afterEach(() => void vi.unstubAllGlobals());

  const parameters = {
    type: "object",
    properties: {
      count: { type: "integer", minimum: 1 },
      "a/b~c": { $ref: "#/$defs/name" },
      kind: { anyOf: [{ const: "x" }, { type: "number" }] },
      list: { type: "array", items: { type: "string" }, default: [] },
    },
    required: ["count"],
    additionalProperties: false,
    $defs: { name: { type: "string", pattern: "^\\p{L}+$" } },
  };
  const tool = (): Tool => ({ name: "t", description: "", parameters: structuredClone(parameters) });
  const check = (input: object): unknown =>
    validateToolArguments(tool(), { type: "toolCall", id: "1", name: "t", arguments: input });

  it("accepts valid values, coerces others, and does not change the schema", () => {
    expect(check({ count: 2, "a/b~c": "né", kind: "x", list: ["a"] })).toEqual({
      count: 2,
      "a/b~c": "né",
      kind: "x",
      list: ["a"],
    });
    expect(check({ count: "2", kind: "5" })).toEqual({ count: 2, kind: 5, list: [] });
    const own = tool();
    const before = JSON.stringify(own.parameters);
    validateToolArguments(own, { type: "toolCall", id: "1", name: "t", arguments: { count: 1 } });
    expect(JSON.stringify(own.parameters)).toBe(before);
  });

  it.each([
    ["a missing property", {}, /- count: must have required property 'count'/],
    ["a wrong type", { count: "many" }, /- count: .*"integer"/],
    ["too small a number", { count: 0 }, /- count: 0 is less than 1/],
    ["a pattern behind a reference", { count: 1, "a/b~c": "5" }, /pattern/],
    ["an unknown property", { count: 1, extra: 1 }, /extra/],
    ["a wrong element", { count: 1, list: [{}] }, /- list\.0: /],
  ])("rejects %s", (_, input, text) => {
    expect(() => check(input)).toThrow(text);
  });

  it("reports an invalid schema", () => {
    const broken: Tool = { name: "t", description: "", parameters: { $ref: "#/nowhere" } };
    expect(() => validateToolArguments(broken, { type: "toolCall", id: "1", name: "t", arguments: {} })).toThrow(
      /nowhere/,
    );
  });
});

it("finds the tool of a tool call", () => {
  const tools = [createTool(withX({ type: "number" }))];
  expect(validateToolCall(tools, createCall({ x: "1" }))).toEqual({ x: 1 });
  expect(() => validateToolCall(tools, { ...createCall({}), name: "rm" })).toThrow('Tool "rm" not found');
});

it("does not change a text of 2,048 characters", () => {
  const text = "a".repeat(2048);
  expect(clipText(text)).toBe(text);
});

it("keeps the head and the tail of a longer text, and states how much is missing", () => {
  const clipped = clipText(`head${"-".repeat(5_000_000)}tail`);
  expect(clipped.startsWith("head-")).toBe(true);
  expect(clipped.endsWith("-tail")).toBe(true);
  expect(clipped).toContain("… (4997960 characters left out) …");
  expect(clipped.length).toBeLessThan(2100);
});

it("leaves no lone surrogate", () => {
  const clipped = clipText(`a${"😀".repeat(2000)}`);
  expect(clipped.isWellFormed()).toBe(true);
});
