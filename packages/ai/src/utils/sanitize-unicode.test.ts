import fc from "fast-check";
import { sanitizeSurrogates } from "pi-ai";
import { expect, it } from "vitest";

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
