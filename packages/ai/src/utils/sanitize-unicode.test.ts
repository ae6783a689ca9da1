import fc from "fast-check";
import { sanitizeSurrogates } from "pi-ai";
import { describe, expect, it } from "vitest";
import { toWellFormed } from "./sanitize-unicode.js";

// The same cases on every run.
fc.configureGlobal({ seed: 20261121 });

it.each([
  ["plain", "plain"],
  ["a\ud83cb", "ab"],
  ["a\udf0db", "ab"],
  ["\ud83c\ud83c\udf0d\udf0d", "\ud83c\udf0d"],
  ["\udf0d\ud83c", ""],
  ["\u{1f30d}\ud83c", "\u{1f30d}"],
])("keeps the pairs of %j", (text, expected) => {
  expect(sanitizeSurrogates(text)).toBe(expected);
});

it("makes any text well-formed and does not change well-formed text", () => {
  const unit = fc.oneof(
    fc.constantFrom("\ud83c", "\udf0d", "\udbff", "\udc00"),
    fc.string({ unit: "binary", maxLength: 2 }),
  );
  fc.assert(
    fc.property(fc.array(unit), (units) => {
      const text = units.join("");
      const result = sanitizeSurrogates(text);
      expect(result.isWellFormed()).toBe(true);
      expect(result).toBe(
        Array.from(text)
          .filter((char) => char.isWellFormed())
          .join(""),
      );
    }),
  );
});

describe("toWellFormed", () => {
  it("returns the same object for well-formed data", () => {
    const data = { text: "a \ud83c\udf0d", list: [1, null] };
    expect(toWellFormed(data)).toBe(data);
  });

  it("removes lone surrogates in values and keys, and changes nothing else", () => {
    const data = { "k\ud83c": ["\udf0d", { deep: "a\ud83cb\\ud83c\ud83c\udf0d" }] };
    expect(toWellFormed(data)).toEqual({ k: ["", { deep: "ab\\ud83c\ud83c\udf0d" }] });
  });

  it("reads data that is too deep for recursion, and data with toJSON", () => {
    let deep: unknown = "\ud83c";
    for (let depth = 0; depth < 1000; depth++) deep = [deep];
    expect(JSON.stringify(toWellFormed({ deep }))).toBe(`{"deep":${"[".repeat(1000)}""${"]".repeat(1000)}}`);
    expect(toWellFormed({ own: { toJSON: () => "a\ud83c" } })).toEqual({ own: "a" });
    const fine = { own: { toJSON: () => "a" } };
    expect(toWellFormed(fine)).toBe(fine);
  });
});
