import fc from "fast-check";
import { parseJsonWithRepair, parseStreamingJson, repairJson } from "pi-ai";
import { expect, expectTypeOf, it } from "vitest";
import { processorTime } from "../../../../../test/support/patience.js";

// The same cases on every run.
fc.configureGlobal({ seed: 20261121 });

it("returns the type that the caller states", () => {
  const { a } = parseJsonWithRepair<{ a: number }>('{"a":1}');
  expectTypeOf(a).toEqualTypeOf<number>();
  expectTypeOf(parseJsonWithRepair("1")).toEqualTypeOf<unknown>();
  expectTypeOf(parseStreamingJson<{ a?: number }>("{").a).toEqualTypeOf<number | undefined>();
});

it.each([
  ['{"a":"x\ny"}', '{"a":"x\\ny"}'],
  ['{"a":"\u0001\t"}', '{"a":"\\u0001\\t"}'],
  ['{"a":"\\d"}', '{"a":"\\\\d"}'],
  ['{"a":"\\u12G4"}', '{"a":"\\\\u12G4"}'],
  ['{"a":"\\\n"}', '{"a":"\\\\\\n"}'],
  ['{"a":"\\\\d \\" \\u00e9 \\n"}', '{"a":"\\\\d \\" \\u00e9 \\n"}'],
  ['{\n"a":\t1}', '{\n"a":\t1}'],
  ['{"a":"open\n', '{"a":"open\\n'],
  ['{"a":"open\\', '{"a":"open\\\\'],
])("repairs %j", (text, repaired) => {
  expect(repairJson(text)).toBe(repaired);
});

it("does not change valid JSON", () => {
  fc.assert(fc.property(fc.json({ stringUnit: "binary" }), (text) => repairJson(text) === text));
});

it("parses repaired text, and reports errors for the original text", () => {
  expect(parseJsonWithRepair('{"a":"\\d\n"}')).toEqual({ a: "\\d\n" });
  expect(parseJsonWithRepair("[1]")).toEqual([1]);
  expect(() => parseJsonWithRepair('{"a":"\\d"')).toThrow(SyntaxError);
  expect(() => parseJsonWithRepair("{,}")).toThrow("position 1");
});

it("repairs the same faults as the parser of partial text", () => {
  const unit = fc.constantFrom("\\", "u", "1", "a", "n", "\n", "\u0000", "/", "d", '\\"', "\\\\");
  fc.assert(
    fc.property(fc.string({ unit }), (content) => {
      const text = `{"a":"${content}"}`;
      let value: unknown;
      try {
        value = parseJsonWithRepair(text);
      } catch {
        return;
      }
      expect(parseStreamingJson(text)).toEqual(value);
    }),
    { numRuns: 1000 },
  );
});

it.each([
  [undefined, {}],
  ["", {}],
  [" \n", {}],
  ["[1]", [1]],
  ["7", 7],
  ["null", null],
  ['{"a":1,"b":tru', { a: 1 }],
  ['{"a":"he', { a: "he" }],
  ['{"a":[1,{"b', { a: [1, {}] }],
  ['{"a":"x\ny', { a: "x\ny" }],
  ['{"a":1} trailing', { a: 1 }],
  ["nonsense", {}],
  ["nul", {}],
])("reads the readable part of %j", (text, value) => {
  expect(parseStreamingJson(text)).toEqual(value);
});

it.each(['"'.repeat(200_001), `"${"\\".repeat(200_001)}`, "\\u".repeat(100_000)])(
  "repairs hostile text in linear time",
  async (text) => {
    expect(await processorTime(() => repairJson(text))).toBeLessThan(3000);
  },
);
