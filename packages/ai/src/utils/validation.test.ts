import { type TSchema, Type } from "@sinclair/typebox";
import { afterEach, expect, it, vi } from "vitest";
import type { Tool } from "../types/context.js";
import type { ToolCall } from "../types/message.js";
import { validateToolArguments, validateToolCall } from "../validation.js";

function createTool(parameters: object): Tool {
  // Any JSON Schema is accepted at run time, written with TypeBox or not.
  return { name: "edit", description: "", parameters: parameters as TSchema };
}

function createCall(args: unknown): ToolCall {
  // A model may send anything.
  return { type: "toolCall", id: "1", name: "edit", arguments: args as Record<string, unknown> };
}

function validate(parameters: object, args: unknown): unknown {
  return validateToolArguments(createTool(parameters), createCall(args));
}

function messageOf(parameters: object, args: unknown): string {
  try {
    validate(parameters, args);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error("The arguments were accepted");
}

/** A schema with one required property `x`. */
function withX(schema: object): object {
  return { type: "object", properties: { x: schema }, required: ["x"] };
}

const NUMBER_OR_STRING = { anyOf: [{ type: "number" }, { type: "string" }] };
const NULLABLE = { anyOf: [{ type: "string" }, { type: "null" }] };

afterEach(() => {
  vi.unstubAllGlobals();
});

it.each([
  [{ type: "number" }, "5", 5],
  [{ type: "number" }, " -2.5e1 ", -25],
  [{ type: "number" }, true, 1],
  [{ type: "number" }, null, 0],
  [{ type: "integer" }, "3", 3],
  [{ type: "integer" }, "3.0", 3],
  [{ type: "boolean" }, "true", true],
  [{ type: "boolean" }, "false", false],
  [{ type: "boolean" }, 1, true],
  [{ type: "boolean" }, 0, false],
  [{ type: "boolean" }, null, false],
  [{ type: "string" }, 5, "5"],
  [{ type: "string" }, true, "true"],
  [{ type: "string" }, null, ""],
  [{ type: "null" }, "", null],
  [{ type: "null" }, 0, null],
  [{ type: "null" }, false, null],
  [{ type: ["number", "null"] }, "5", 5],
  [{ anyOf: [{ type: "boolean" }, { type: "number" }] }, "5", 5],
  [{ oneOf: [{ type: "integer" }, { type: "boolean" }] }, "true", true],
  [{ allOf: [{ type: "number" }, { minimum: 3 }] }, "5", 5],
  [{ enum: [1, 2], type: "number" }, "2", 2],
  [{ type: "array", items: { type: "number" } }, ["1", 2], [1, 2]],
  [{ type: "array", items: [{ type: "number" }], additionalItems: { type: "string" } }, ["1", 2], [1, "2"]],
  [{ type: "array", prefixItems: [{ type: "number" }], items: { type: "string" } }, ["1", 2], [1, "2"]],
  [{ type: "object", additionalProperties: { type: "number" } }, { a: "1" }, { a: 1 }],
  [{ anyOf: [withX({ type: "boolean" }), withX({ type: "integer" })] }, { x: "7" }, { x: 7 }],
  [{ type: "number", nullable: true }, "5", 5],
])("brings a value to %j: %j to %j", (schema, value, expected) => {
  expect(validate(withX(schema), { x: value })).toEqual({ x: expected });
});

it.each([
  [{ type: "number" }, " "],
  [{ type: "number" }, ""],
  [{ type: "number" }, "0x10"],
  [{ type: "number" }, "1e999"],
  [{ type: "integer" }, "3.5"],
  [{ type: "integer" }, 3.5],
  [{ type: "boolean" }, "TRUE"],
  [{ type: "boolean" }, 2],
  [{ type: "string" }, {}],
  [{ type: "null" }, "null"],
  [{ type: "array", items: { type: "string" } }, "a"],
  [{ enum: ["a", "b"] }, "c"],
  [{ type: "string", format: "date-time" }, "tomorrow"],
  [false, 1],
])("refuses what is not plain for %j: %j", (schema, value) => {
  expect(() => validate(withX(Object(schema) === schema ? Object(schema) : { not: {} }), { x: value })).toThrow(
    "  - x: ",
  );
});

it.each([
  [NUMBER_OR_STRING, "5"],
  [NULLABLE, null],
  [{ type: ["string", "null"] }, null],
  [{ type: "string", nullable: true }, null],
  [{ type: "string", default: "d" }, ""],
  [{ type: "array", prefixItems: [{ type: "number" }], items: false }, [1]],
  [{ type: "string", format: "date-time" }, "2026-11-21T10:00:00Z"],
  [{ type: "string", format: "nobody-knows" }, "x"],
  [{ type: "string", "x-vendor": true }, "x"],
  [{ type: "string", pattern: "^[\\w-.]+$" }, "a-b"],
  [{ type: "integer" }, 5.0],
  [true, "anything"],
])("leaves a value that fits %j as it is: %j", (schema, value) => {
  const call = createCall({ x: value });
  const result = validateToolArguments(createTool(withX(Object(schema))), call);
  expect(result).toStrictEqual({ x: value });
  expect(result).not.toBe(call.arguments);
});

it("leaves the parts that fit alone while it mends others", () => {
  const parameters = {
    type: "object",
    properties: { n: { type: "number" }, u: NUMBER_OR_STRING, m: NULLABLE, r: { $ref: "#/$defs/maybe" } },
    required: ["n", "u", "m", "r"],
    $defs: { maybe: { type: ["integer", "null"] } },
  };
  const args = { n: "1", u: "5", m: null, r: null };
  const call = createCall(args);
  expect(validateToolArguments(createTool(parameters), call)).toStrictEqual({ n: 1, u: "5", m: null, r: null });
  expect(call.arguments).toStrictEqual({ n: "1", u: "5", m: null, r: null });
});

it("removes an optional property that is null, unless null is what it may be", () => {
  const parameters = {
    type: "object",
    properties: { a: { type: "number" }, b: NULLABLE, c: { $ref: "#/$defs/text" } },
    $defs: { text: { type: "string" } },
  };
  expect(validate(parameters, { a: null, b: null, c: null })).toStrictEqual({ b: null });
});

it("applies defaults to what it has to mend only", () => {
  const parameters = {
    type: "object",
    properties: { a: { type: "number" }, d: { type: "array", default: [1] } },
    required: ["d"],
  };
  expect(validate(parameters, {})).toStrictEqual({ d: [1] });
  expect(validate({ ...parameters, required: [] }, { a: 1 })).toStrictEqual({ a: 1 });
  const again = { ...parameters };
  Object(validate(again, {}))["d"].push(2);
  expect(validate(again, {})).toStrictEqual({ d: [1] });
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

it("follows references in circles", () => {
  const tree = { type: "object", properties: { n: { type: "number" }, kids: { type: "array", items: { $ref: "#" } } } };
  expect(validate(tree, { kids: [{ n: "1", kids: [{ n: "2" }] }] })).toStrictEqual({
    kids: [{ n: 1, kids: [{ n: 2 }] }],
  });
});

it("survives a schema that refers to itself without end", () => {
  const endless = {
    allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }],
    $defs: { a: { allOf: [{ $ref: "#" }, { $ref: "#" }] } },
  };
  expect(() => validate(endless, { x: 1 })).toThrow("could not be checked");
});

it("writes the errors for a model to read", () => {
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
  - root: must NOT have additional properties
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

it("lists fifty errors at most", () => {
  const message = messageOf({ type: "array", items: { type: "number" } }, Array(60).fill("x"));
  expect(message.match(/must be number/g)).toHaveLength(50);
  expect(message).toContain("  - … and 10 more\n");
});

it("does not take inherited names for properties", () => {
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

it("answers arguments that are nested too deep with a validation error", () => {
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

it("says which tool has a schema that cannot be used, and why", () => {
  expect(messageOf({ type: "strng" }, {})).toMatch(/^The parameter schema of tool "edit" cannot be used: .*strng/);
  expect(messageOf({ $ref: "#/nowhere" }, {})).toMatch(
    /^The parameter schema of tool "edit" cannot be used: .*#\/nowhere/,
  );
});

it("accepts two schemas with one id, and the dialects that people name", () => {
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
  validateToolArguments(tool, createCall({ x: 1 }));
  const compiled = compile.mock.calls.length;
  expect(compiled).toBeGreaterThan(0);
  validateToolArguments(tool, createCall({ x: 2 }));
  expect(compile).toHaveBeenCalledTimes(compiled);
});

it("returns the arguments unchecked where code may not be made from strings", () => {
  vi.stubGlobal("Function", function forbidden() {
    throw new EvalError("Code generation from strings disallowed for this context");
  });
  expect(validate(withX({ type: "number" }), { x: "no" })).toEqual({ x: "no" });
});

it("finds the tool of a call", () => {
  const tools = [createTool(withX({ type: "number" }))];
  expect(validateToolCall(tools, createCall({ x: "1" }))).toEqual({ x: 1 });
  expect(() => validateToolCall(tools, { ...createCall({}), name: "rm" })).toThrow('Tool "rm" not found');
});
