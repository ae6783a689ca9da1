/** Large schemas and values whose check takes seconds at most. */
import { expect, it } from "vitest";
import { messageOf, validate } from "../../../test/tool-arguments.js";

const LIMIT = "could not be checked: the schema takes too many steps for this value";

it.each<[string, object, object]>([
  [
    "pairs of a long list",
    { properties: { list: { type: "array", uniqueItems: true } } },
    { list: Array.from({ length: 20_000 }, (_, index) => [index]) },
  ],
  [
    "a long list for each of many alternatives",
    { properties: { list: { anyOf: Array.from({ length: 400 }, () => ({ items: { type: "object" } })) } } },
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

it("checks objects with thousands of properties", () => {
  const names = Array.from({ length: 3000 }, (_, index) => `p${index}`);
  const schema = { type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "integer" }])) };
  const args = Object.fromEntries(names.map((name) => [name, 1]));
  expect(validate(schema, args)).toEqual(args);
  expect(messageOf(schema, { ...args, p0: "a" })).toContain("- p0: must be integer");
});
