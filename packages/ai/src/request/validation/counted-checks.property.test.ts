/** Checks that count their steps find what checks without counting find. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { budget } from "../../../../../test/support/suite.js";
import { compileSchema } from "./json-schema.js";
import { measureSchema } from "./measure-schema.js";

fc.configureGlobal({ seed: 20261127, numRuns: budget({ quick: 60, all: 600 }) });

const name = fc.constantFrom("a", "b", "c");

const { schema } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({ type: fc.constantFrom("string", "integer", "boolean", "null", "array", "object") }),
    fc.record({ enum: fc.array(fc.constantFrom<unknown>(1, "x", null, true), { minLength: 1, maxLength: 3 }) }),
    fc.record({ required: fc.uniqueArray(name), minProperties: fc.nat(2) }),
    fc.record({ uniqueItems: fc.boolean(), maxItems: fc.nat(3), maxLength: fc.nat(3) }),
    fc.record({
      properties: fc.dictionary(name, tie("schema"), { maxKeys: 3 }),
      additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
    }),
    fc.record({ items: tie("schema") }),
    fc.record({ contains: tie("schema") }),
    fc.record({ not: tie("schema") }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }), unevaluatedProperties: fc.boolean() }),
  ),
}));

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(1, 1.5, "x", "long text", null, true),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

it("whatever the schema and the value are", () => {
  const endless = { $defs: { endless: { items: { $ref: "#/$defs/endless" } } } };
  fc.assert(
    fc.property(schema, fc.array(value, { maxLength: 8 }), (one, values) => {
      const counted = { ...one, ...endless };
      expect(measureSchema(counted).expanded).toBe(Number.POSITIVE_INFINITY);
      const plain = compileSchema(one);
      const bounded = compileSchema(counted);
      for (const item of values) {
        expect(bounded.check(item).map(({ instancePath, message }) => [instancePath, message])).toEqual(
          plain.check(item).map(({ instancePath, message }) => [instancePath, message]),
        );
      }
    }),
  );
});
