import { expect, it } from "vitest";
import { measureSchema } from "./measure-schema.js";

const ref = (name: string) => ({ $ref: `#/$defs/${name}` });

it("counts what is written", () => {
  expect(measureSchema({ type: "object", properties: { a: { enum: [1, 2] } } })).toEqual({
    written: 7,
    expanded: 7,
    hasPairs: false,
  });
});

it("finds lists that are searched for pairs", () => {
  expect(measureSchema({ properties: { a: { uniqueItems: true } } }).hasPairs).toBe(true);
  expect(measureSchema({ properties: { a: { uniqueItems: false }, uniqueItems: {} } }).hasPairs).toBe(false);
});

it("counts a definition at each reference, and reads it once", () => {
  let reads = 0;
  const last = new Proxy<object>(
    { type: "string" },
    {
      ownKeys: (target) => {
        reads++;
        return Reflect.ownKeys(target);
      },
    },
  );
  const $defs: Record<string, object> = { d0: last };
  for (let level = 1; level <= 40; level++)
    $defs[`d${level}`] = { anyOf: [ref(`d${level - 1}`), ref(`d${level - 1}`)] };
  const size = measureSchema({ $defs, ...ref("d40") });
  expect(size.expanded).toBeGreaterThan(2 ** 40);
  expect(size.written).toBeLessThan(300);
  expect(reads).toBe(1);
});

it.each<[string, object]>([
  ["itself", { properties: { a: { $ref: "#" } } }],
  ["a definition in a circle", { $defs: { a: { items: ref("b") }, b: { not: ref("a") } }, ...ref("a") }],
  ["another document", { $ref: "other.json" }],
  ["nothing", { $ref: "#/$defs/none" }],
  ["an anchor", { $ref: "#node", $defs: { a: { $anchor: "node" } } }],
  ["a place that depends on the check", { items: { $dynamicRef: "#node" } }],
  ["its beginning, in the words of 2019-09", { items: { $recursiveRef: "#" } }],
  ["a part with an id of its own", { $defs: { a: { $id: "a", items: { $ref: "#/b" } } } }],
])("does not bound a schema that refers to %s", (_, schema) => {
  expect(measureSchema(schema).expanded).toBe(Number.POSITIVE_INFINITY);
});
