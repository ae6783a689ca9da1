/** A value that passes the quick check fits for the validator, too, and the schemas that most tools have need no validator. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { budget } from "../../../../../test/support/suite.js";
import { compileSchema } from "./json-schema.js";
import { compileQuickCheck } from "./quick-check.js";

const RUNS = { seed: 20261129, numRuns: budget({ quick: 2000, all: 10_000 }) };

const name = fc.constantFrom("a", "b", "__proto__", "constructor", "length");
const bound = fc.constantFrom<unknown>(0, 1, 2, 2.5, -1, true, "1", null);
const TYPES = ["string", "integer", "number", "boolean", "null", "array", "object"];
const type = fc.constantFrom<unknown>(...TYPES, ["string", "null"], ["integer"], [], "any", null);
const scalar = fc.constantFrom<unknown>(0, -0, 1, 1.5, 2, 1e300, "", "x", "𝒳", "long text", true, null);

const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const keywords = {
    $schema: fc.constantFrom("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"),
    description: fc.constant("words"),
    type,
    enum: fc.array(fc.oneof(scalar, fc.constant({ a: 1 })), { maxLength: 3 }),
    const: scalar,
    anyOf: fc.array(tie("schema"), { maxLength: 3 }),
    properties: fc.dictionary(name, tie("schema"), { maxKeys: 3, noNullPrototype: true }),
    required: fc.oneof(fc.uniqueArray(name, { maxLength: 2 }), fc.constantFrom<unknown>("a", true)),
    additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
    items: fc.oneof(tie("schema"), fc.array(tie("schema"), { maxLength: 2 })),
    minItems: bound,
    maxItems: bound,
    minLength: bound,
    maxLength: bound,
    minimum: bound,
    maximum: bound,
    exclusiveMinimum: bound,
    exclusiveMaximum: bound,
    pattern: fc.constant("^x"),
    nullable: fc.boolean(),
    not: tie("schema"),
  };
  const one = fc.record(keywords, { requiredKeys: [] });
  // A few keywords at a time, or hardly any value fits.
  const few = fc
    .tuple(one, fc.subarray(Object.keys(keywords), { minLength: 1, maxLength: 3 }))
    .map(([all, chosen]) => Object.fromEntries(Object.entries(all).filter(([word]) => chosen.includes(word))));
  return { schema: fc.oneof({ depthSize: "small", withCrossShrink: true }, fc.record({ type }), fc.boolean(), few) };
});

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

describe("a quick check", () => {
  it("fits for the validator", () => {
    let quick = 0;
    let fitting = 0;
    const check = (one: object, values: readonly unknown[]): void => {
      const fits = compileQuickCheck(one);
      if (!fits) return;
      quick++;
      const compiled = compileSchema(one);
      for (const item of values) {
        if (!fits(item)) continue;
        fitting++;
        expect(compiled.check(item)).toEqual([]);
      }
    };
    const objects = schema.filter((one): one is object => typeof one === "object");
    fc.assert(fc.property(objects, fc.array(value, { maxLength: 8 }), check), RUNS);
    expect(quick).toBeGreaterThan(RUNS.numRuns / 10);
    expect(fitting).toBeGreaterThan(RUNS.numRuns / 10);
  });

  it("leaves what it does not know to the validator", () => {
    const cycle: Record<string, unknown> = { type: "object" };
    cycle["properties"] = { next: cycle };
    for (const one of [
      { $ref: "#" },
      { type: "string", pattern: "x" },
      { default: 1 },
      { type: [] },
      { enum: [] },
      cycle,
    ])
      expect(compileQuickCheck(one)).toBeUndefined();
  });

  it("leaves a value of too many steps to the validator", () => {
    const fits = compileQuickCheck({ type: "array", items: { type: "number" } });
    expect(fits?.(Array.from({ length: 1000 }, () => 1))).toBe(true);
    expect(fits?.(Array.from({ length: 20_000 }, () => 1))).toBe(false);
  });
});
