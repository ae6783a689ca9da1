import { validateToolArguments } from "pi-ai";
import { describe, expect, it } from "vitest";
import { createCall, createTool, validate, withX } from "../../../test/tool-arguments.js";

const NUMBER_OR_STRING = { anyOf: [{ type: "number" }, { type: "string" }] };
const NULLABLE = { anyOf: [{ type: "string" }, { type: "null" }] };

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
])("coerces a value to %j: %j to %j", (schema, value, expected) => {
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
])("rejects an unclear value for %j: %j", (schema, value) => {
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
  [{ type: "string", format: "unknown-format" }, "x"],
  [{ type: "string", "x-vendor": true }, "x"],
  [{ type: "string", pattern: "^[\\w-.]+$" }, "a-b"],
  [{ type: "integer" }, 5.0],
  [true, "anything"],
])("does not change a value that fits %j: %j", (schema, value) => {
  const call = createCall({ x: value });
  const result = validateToolArguments(createTool(withX(Object(schema))), call);
  expect(result).toStrictEqual({ x: value });
  expect(result).not.toBe(call.arguments);
});

it("does not change valid parts while it coerces others", () => {
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

it("removes an optional property that is null, unless it may be null", () => {
  const parameters = {
    type: "object",
    properties: { a: { type: "number" }, b: NULLABLE, c: { $ref: "#/$defs/text" } },
    $defs: { text: { type: "string" } },
  };
  expect(validate(parameters, { a: null, b: null, c: null })).toStrictEqual({ b: null });
});

describe("defaults", () => {
  const parameters = {
    type: "object",
    properties: { a: { type: "number" }, d: { type: "array", default: [1] } },
    required: ["d"],
  };

  it("are given to absent properties, whether anything else was wrong or not", () => {
    expect(validate(parameters, {})).toStrictEqual({ d: [1] });
    expect(validate({ ...parameters, required: [] }, { a: 1 })).toStrictEqual({ a: 1, d: [1] });
    expect(validate({ ...parameters, required: [] }, { a: "1" })).toStrictEqual({ a: 1, d: [1] });
    const again = { ...parameters };
    Object(validate(again, {}))["d"].push(2);
    expect(validate(again, {})).toStrictEqual({ d: [1] });
  });

  const size = { type: "object", properties: { width: { type: "number", default: 2 } } };
  it.each<[string, object, unknown, unknown]>([
    ["nested", { type: "object", properties: { size } }, { size: {} }, { size: { width: 2 } }],
    [
      "of an object that is a default",
      { type: "object", properties: { size: { ...size, default: {} } } },
      {},
      { size: { width: 2 } },
    ],
    [
      "in lists",
      { type: "object", properties: { list: { type: "array", items: size } } },
      { list: [{}, { width: 1 }] },
      { list: [{ width: 2 }, { width: 1 }] },
    ],
    [
      "by reference",
      {
        type: "object",
        properties: { size: { $ref: "#/$defs/size" } },
        $defs: { size: { ...size, default: { width: 3 } } },
      },
      {},
      { size: { width: 3 } },
    ],
    [
      "in the alternative that fits",
      { type: "object", properties: { one: { anyOf: [{ type: "string" }, size] } } },
      { one: {} },
      { one: { width: 2 } },
    ],
    ["in allOf", { type: "object", allOf: [size] }, {}, { width: 2 }],
    ["of additional properties", { type: "object", additionalProperties: size }, { x: {} }, { x: { width: 2 } }],
    ["null", { type: "object", properties: { n: { type: ["number", "null"], default: null } } }, {}, { n: null }],
    [
      "that contradict their schema are not given",
      { type: "object", properties: { n: { type: "number", default: "x" } } },
      {},
      {},
    ],
    [
      "do not replace what is there",
      { type: "object", properties: { n: { type: ["number", "null"], default: 5 } } },
      { n: null },
      { n: null },
    ],
  ])("%s", (_title, schema, given, expected) => {
    expect(validate(schema, given)).toStrictEqual(expected);
  });
});

it("follows circular references", () => {
  const tree = { type: "object", properties: { n: { type: "number" }, kids: { type: "array", items: { $ref: "#" } } } };
  expect(validate(tree, { kids: [{ n: "1", kids: [{ n: "2" }] }] })).toStrictEqual({
    kids: [{ n: 1, kids: [{ n: 2 }] }],
  });
});
