/** Schemas of strangers for which a validator would take exponential or quadratic time. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { messageOf, validate } from "../../../test/tool-arguments.js";
import { loadValidators } from "./ajv.js";
import { WorkLimit } from "./work-limit.js";

afterEach(() => vi.unstubAllGlobals());

const self = { $ref: "#" };
const nest = (levels: number, inner: object = {}): object => (levels === 0 ? inner : { a: nest(levels - 1, inner) });
const definitions = (make: (name: string) => object): object =>
  Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`d${index}`, index === 0 ? { required: ["no"] } : make(`d${index - 1}`)]),
  );

/** A schema, and arguments of at most 300 KB. None of them fits. */
const HOSTILE: Readonly<Record<string, [schema: object, args: object]>> = {
  "two alternatives at each level": [
    { properties: { a: { anyOf: [self, self] }, x: { const: 1 } } },
    nest(60, { x: 2 }),
  ],
  "two members at each level": [{ allOf: [{ properties: { a: self } }, { properties: { a: self } }] }, nest(60)],
  "two definitions in turn": [
    {
      $ref: "#/$defs/one",
      $defs: {
        one: { oneOf: [{ $ref: "#/$defs/two" }, { $ref: "#/$defs/two" }] },
        two: { properties: { a: { $ref: "#/$defs/one" } } },
      },
    },
    nest(60),
  ],
  "a condition at each level": [
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    { if: { properties: { a: self } }, then: { properties: { a: self } }, else: { properties: { a: self } } },
    nest(60),
  ],
  "definitions that double": [
    {
      $ref: "#/$defs/d39",
      $defs: definitions((name) => ({ anyOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] })),
    },
    {},
  ],
  "alternatives without a step into the value": [{ anyOf: [self, self] }, {}],
};

describe.each(Object.entries(HOSTILE))("%s", (_title, [schema, args]) => {
  it("end with a fault", () => {
    expect(messageOf({ type: "object", ...schema }, args)).toMatch(/could not be checked: /);
  });
});

describe.each(Object.entries(HOSTILE).slice(0, 1))("%s", (_title, [schema, args]) => {
  it("end with a fault where the schema is interpreted", () => {
    vi.stubGlobal("Function", function forbidden() {
      throw new EvalError("Code generation from strings disallowed for this context");
    });
    expect(messageOf({ type: "object", ...schema }, args)).toMatch(/could not be checked: /);
  });
});

/** A few parts that stand for millions of faults. */
it.each<[string, object, object]>([
  [
    "missing properties of each item",
    { properties: { list: { items: { required: Array.from({ length: 5000 }, (_, index) => `p${index}`) } } } },
    { list: Array.from({ length: 10_000 }, () => ({})) },
  ],
  [
    "large defaults for each item",
    { properties: { n: { const: 1 }, list: { items: { properties: { d: { default: Array(5000).fill(0) } } } } } },
    { n: 2, list: Array.from({ length: 2000 }, () => ({})) },
  ],
])("%s are not listed one by one", (_title, schema, args) => {
  expect(messageOf({ type: "object", ...schema }, args)).toMatch(
    /- (list\.0\.p0: must have required|n: must be equal)/,
  );
});

describe("of schemas that refer to themselves", () => {
  const node = { $ref: "#/$defs/node" };
  const $defs = {
    node: {
      type: "object",
      properties: {
        n: { type: "integer" },
        on: { type: "boolean", default: true },
        kids: { type: "array", items: node },
      },
      required: ["n"],
    },
  };
  const schema = { type: "object", properties: { root: node }, required: ["root"], $defs };

  it("lists all faults", () => {
    const args = { root: { n: "a", kids: [{ n: "b" }, { kids: [] }, { n: 1, kids: [{ n: [] }] }] } };
    expect(messageOf(schema, args).match(/^ {2}- \S+/gm)).toEqual([
      "  - root.n:",
      "  - root.kids.0.n:",
      "  - root.kids.1.n:",
      "  - root.kids.2.kids.0.n:",
    ]);
  });

  it("coerces values and adds defaults", () => {
    expect(validate(schema, { root: { n: "1", kids: [{ n: "2", on: "false" }] } })).toEqual({
      root: { n: 1, on: true, kids: [{ n: 2, on: false }] },
    });
  });
});

it("checks, coerces and completes large values", () => {
  const row = { type: "object", properties: {}, required: ["c0", "c19"], additionalProperties: false };
  const properties: Record<string, object> = { d: { type: "integer", default: 1 } };
  for (let column = 0; column < 20; column++) properties[`c${column}`] = { type: ["integer", "null"] };
  const schema = {
    type: "object",
    properties: { rows: { type: "array", items: { anyOf: [{ type: "null" }, { ...row, properties }] } } },
  };
  const names = Object.keys(properties).slice(1);
  const rows = (cell: unknown) =>
    Array.from({ length: 200 }, () => Object.fromEntries(names.map((name) => [name, cell])));
  const complete = rows(7).map((cells) => ({ ...cells, d: 1 }));
  expect(validate(schema, { rows: rows(7) })).toEqual({ rows: complete });
  expect(validate(schema, { rows: rows("7") })).toEqual({ rows: complete });
});

it("checks deep trees of tagged alternatives, which a validator leaves at the first fault", () => {
  const kinds = Array.from({ length: 12 }, (_, index) => ({
    type: "object",
    properties: { kind: { const: `k${index}` }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
    required: ["kind"],
  }));
  const schema = { type: "object", properties: { root: { $ref: "#/$defs/node" } }, $defs: { node: { anyOf: kinds } } };
  const tree = (levels: number, kind = "k11"): object => ({
    kind: levels === 0 ? kind : "k11",
    children: levels === 0 ? [] : [tree(levels - 1, kind)],
  });
  expect(validate(schema, { root: tree(40) })).toEqual({ root: tree(40) });
  // All faults of the alternatives are too many to list.
  expect(messageOf(schema, { root: tree(40, "other") })).toMatch(
    /- root(\.children\.0)*\.kind: must be equal to constant/,
  );
});

it("counts the steps of equal keywords by one function: the code of a schema joins its values in quadratic time", () => {
  const validators = loadValidators();
  const ajv = new validators.Ajv2020({ validateSchema: false, meta: false });
  new WorkLimit().countIn(ajv, validators);
  const value = vi.spyOn(ajv.scope, "value");
  ajv.compile({ anyOf: Array.from({ length: 50 }, (_, index) => ({ const: index })) });
  expect(new Set(value.mock.calls.map(([, { ref }]) => ref)).size).toBeLessThan(10);
});
