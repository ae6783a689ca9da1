/** Schemas that count as portable are those that the rules of no vendor would change. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  ANTHROPIC_TOOL_RULES,
  BEDROCK_TOOL_RULES,
  COMPLETIONS_TOOL_RULES,
  GOOGLE_TOOL_RULES,
  MISTRAL_TOOL_RULES,
  RESPONSES_TOOL_RULES,
  toolRulesOf,
} from "../../catalogue/compat/tool-rules.js";
import type { Tool } from "../../types/context.js";
import { arePortable } from "./portable-tools.js";
import { createFitting } from "./tool-fitting.js";

const ROWS = [
  ANTHROPIC_TOOL_RULES,
  BEDROCK_TOOL_RULES,
  COMPLETIONS_TOOL_RULES,
  GOOGLE_TOOL_RULES,
  MISTRAL_TOOL_RULES,
  RESPONSES_TOOL_RULES,
].flat();
/** The rules of each row by itself. */
const RULES = ROWS.flatMap(
  ({ flags }) => toolRulesOf({ provider: "any", id: "any" } as never, [{ when: {}, flags }]) ?? [],
);

const words = fc.constantFrom("a", "b", "städte", "", "x y", "a.b", "__proto__", "\ud800");
const numbers = fc.constantFrom<unknown>(0, 1, 2.5, -3, Number.NaN, "5", null, undefined);
const keywords = {
  $schema: words,
  description: fc.oneof(words, numbers),
  title: words,
  format: words,
  default: numbers,
  nullable: fc.boolean(),
  enum: fc.oneof(fc.array(words, { maxLength: 3 }), fc.array(numbers, { maxLength: 2 })),
  minimum: numbers,
  maximum: numbers,
  minLength: numbers,
  maxItems: numbers,
  exclusiveMinimum: fc.oneof(numbers, fc.boolean()),
  required: fc.oneof(fc.array(words, { maxLength: 3 }), fc.boolean()),
  additionalProperties: fc.oneof(fc.boolean(), fc.constant({})),
  type: fc.constantFrom<unknown>("object", "array", "string", "integer", "boolean", "null", "any", ["string", "null"]),
};

const { schema } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record({ type: fc.constantFrom("string", "number", "integer", "boolean"), description: words }),
    fc.record(
      {
        ...keywords,
        items: fc.oneof(tie("schema"), fc.constant(true)),
        properties: fc.dictionary(words, tie("schema"), { maxKeys: 3 }),
        anyOf: fc.array(tie("schema"), { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
    fc.record({ type: fc.constant("object"), properties: fc.dictionary(fc.constantFrom("a", "b.c"), tie("schema")) }),
    fc.record({ type: fc.constant("array"), items: tie("schema") }),
    fc.record({ type: fc.constant("string"), enum: fc.uniqueArray(words, { minLength: 1, maxLength: 3 }) }),
  ),
}));

test("what counts as portable is sent as it is, whatever the vendor", () => {
  let count = 0;
  const object = fc.record({
    type: fc.constant("object"),
    properties: fc.dictionary(fc.constantFrom("a", "b"), schema),
  });
  const check = fc.property(fc.oneof(schema, object), words, (parameters, description) => {
    const tool = { name: "t", description, parameters } as Tool; // a caller without types may write any of these
    if (!arePortable([tool])) return;
    count++;
    for (const rules of RULES) {
      const notes: never[] = [];
      expect(createFitting(rules, notes)(tool)).toEqual({ tool, renamed: undefined });
      expect(notes).toEqual([]);
    }
  });
  fc.assert(check, { numRuns: 1000, seed: 1 });
  expect(count).toBeGreaterThan(100);
});

const tool = (parameters: object, rest: Partial<Tool> = {}): Tool => ({
  name: "t",
  description: "d",
  parameters,
  ...rest,
});

test.each<[string, Tool]>([
  ["a long description", tool({ type: "object", properties: {} }, { description: "d".repeat(1025) })],
  ["examples", tool({ type: "object", properties: {} }, { examples: [{}] })],
  ["no object", tool({ type: "string" })],
  ["a circle", tool(Object.defineProperty({ type: "array" }, "items", { enumerable: true, get: circle }))],
  ["too many parts", tool(wide(10_001))],
])("%s is not portable", (_title, odd) => {
  expect(arePortable([odd])).toBe(false);
});

function circle(): object {
  const list: Record<string, unknown> = { type: "array" };
  list["items"] = list;
  return list;
}

function wide(count: number): object {
  const names = Array.from({ length: count }, (_, index) => [`p${index}`, { type: "string" }]);
  return { type: "object", properties: Object.fromEntries(names) };
}
