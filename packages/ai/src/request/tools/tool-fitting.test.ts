/** The work for a tool grows as its schema does. It is counted, never timed. */
import { afterEach, expect, it, vi } from "vitest";
import { ANTHROPIC_TOOL_RULES, RESPONSES_TOOL_RULES, toolRulesOf } from "../../catalogue/compat/tool-rules.js";
import { createFitting } from "./tool-fitting.js";

/** The rules of each row by itself. */
const RULES = [ANTHROPIC_TOOL_RULES, RESPONSES_TOOL_RULES]
  .flat()
  .flatMap(({ flags }) => toolRulesOf({ provider: "any", id: "any" } as never, [{ when: {}, flags }]) ?? []);

afterEach(() => vi.restoreAllMocks());

const many = <TValue>(count: number, make: (index: number) => TValue): TValue[] =>
  Array.from({ length: count }, (_, index) => make(index));
const long = (index: number): string => `${"x".repeat(58)}${1e5 + index}`;

const SCHEMAS: Readonly<Record<string, (count: number) => object>> = {
  "names that become one name": (count) => ({
    properties: Object.fromEntries(many(count, (index) => [String.fromCodePoint(0x4e00 + index), {}])),
  }),
  "long names that become those of others": (count) => ({
    properties: Object.fromEntries(
      many(count, (index): [string, object][] => [
        [long(index), {}],
        [`${long(index)}é`, {}],
      ]).flat(),
    ),
  }),
  "members that each require a name": (count) => ({
    properties: {},
    allOf: many(count, (index) => ({ required: [`p${index}`] })),
  }),
  "branches that each combine two schemas of a property": (count) => ({
    anyOf: many(count, (index) => ({
      allOf: [
        { properties: { a: { minLength: index + 1000 } } },
        { properties: { a: { maxLength: count + index + 1000 } } },
      ],
    })),
  }),
};

/** Entries of sets, and characters of JSON. */
function workOf(schema: object): number {
  const has = vi.spyOn(Set.prototype, "has");
  const add = vi.spyOn(Set.prototype, "add");
  const stringify = vi.spyOn(JSON, "stringify");
  const tool = { name: "t", description: "d", parameters: { type: "object", ...schema } };
  for (const rules of RULES) createFitting(rules, [])(tool);
  const characters = stringify.mock.results.reduce((sum, { value }) => sum + String(value).length, 0);
  const work = characters + has.mock.calls.length + add.mock.calls.length;
  vi.restoreAllMocks();
  return work;
}

it.each(Object.entries(SCHEMAS))("grows as the schema does: %s", (_title, create) => {
  expect(workOf(create(400))).toBeLessThan(5 * workOf(create(100)));
});
