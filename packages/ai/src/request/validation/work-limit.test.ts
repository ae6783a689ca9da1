/** Schemas of strangers for which a validator would take exponential or quadratic time. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { messageOf, validate } from "../../../test/tool-arguments.js";

afterEach(() => vi.unstubAllGlobals());

const self = { $ref: "#" };
const nest = (levels: number, inner: object = {}): object => (levels === 0 ? inner : { a: nest(levels - 1, inner) });
const LIMIT = "could not be checked: the schema takes too many steps for this value";
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

describe.each(Object.entries(HOSTILE).slice(0, 2))("%s", (_title, [schema, args]) => {
  it("end with a fault where the schema is interpreted", () => {
    vi.stubGlobal("Function", function forbidden() {
      throw new EvalError("Code generation from strings disallowed for this context");
    });
    expect(messageOf({ type: "object", ...schema }, args)).toMatch(/could not be checked: /);
  });
});

it.each<[string, object, object]>([
  [
    "pairs of a long list",
    { properties: { list: { type: "array", uniqueItems: true } } },
    { list: Array.from({ length: 20_000 }, (_, index) => [index]) },
  ],
  [
    "a long list for each of many alternatives",
    { properties: { list: { anyOf: Array.from({ length: 200 }, () => ({ items: { type: "object" } })) } } },
    { list: Array.from({ length: 20_000 }, () => 1) },
  ],
  [
    "a long text for each of many alternatives",
    { properties: { text: { anyOf: Array.from({ length: 800 }, () => ({ maxLength: 5 })) } } },
    { text: "x".repeat(300_000) },
  ],
])("%s are bounded", (_title, schema, args) => {
  expect(messageOf({ type: "object", ...schema }, args)).toContain(LIMIT);
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
