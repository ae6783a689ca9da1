import { expect, test } from "vitest";
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
])("%j reads as %j", (text, value) => expect(tryParseJson(text)).toEqual(value));

test("text that is not JSON reads as the fallback", () => expect(tryParseJson("[1", "none")).toBe("none"));
