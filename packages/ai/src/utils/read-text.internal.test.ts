import { expect, test, vi } from "vitest";
import { tryParseJson } from "./read-text.js";

test.each([
  ['{"a":1}', { a: 1 }],
  [' {"a":1} ', { a: 1 }],
  ['{"a":1}\r\n', { a: 1 }],
  ["[1] ", [1]],
  ["null", null],
  ['{"a":1', undefined],
  ['{"a":1]', undefined],
  ["[1", undefined],
  ["{}}", undefined],
  ["", undefined],
  ["{", undefined],
  ['"a" ', "a"],
  ["\n true ", true],
  ["-1.5e3", -1500],
  ["1e", undefined],
])("%j reads as %j", (text, value) => expect(tryParseJson(text)).toEqual(value));

test("text that is not JSON reads as the fallback", () => expect(tryParseJson("[1", "none")).toBe("none"));

test.each(['{"a":1', 'ty":"Paris"}', '"Par', "tru", "x", " "])(
  "%j is not parsed: an error costs far more than a look",
  (text) => {
    const parse = vi.spyOn(JSON, "parse");
    expect(tryParseJson(text)).toBeUndefined();
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  },
);
