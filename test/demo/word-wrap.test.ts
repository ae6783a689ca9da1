import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createWordWrap } from "../../examples/demo/src/word-wrap.js";

function wrapped(pieces: readonly string[], columns: number): string {
  const wrap = createWordWrap(() => columns);
  return pieces.map((piece) => wrap.feed(piece)).join("") + wrap.flush();
}

describe("createWordWrap", () => {
  it("moves a word that does not fit to the next line", () => {
    expect(wrapped(["one two three"], 10)).toBe("one two \nthree");
  });

  it("does not break a word that arrives in pieces", () => {
    expect(wrapped(["one two th", "re", "e four"], 11)).toBe("one two \nthree four");
  });

  it("cuts a word that is longer than a line", () => {
    expect(wrapped(["abcdefghij"], 5)).toBe("abcd\nefgh\nij");
  });

  it("counts two columns for a wide character", () => {
    expect(wrapped(["天気天気 ok"], 8)).toBe("天気天\n気 ok");
  });

  it("shows the same text for any pieces, and never a line that is too long", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "longword"), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 7 }), (value, size) => {
        const pieces = Array.from({ length: Math.ceil(value.length / size) }, (_, index) =>
          value.slice(index * size, (index + 1) * size),
        );
        const shown = wrapped(pieces, 20);
        expect(shown.replace(/\s/g, "")).toBe(value.replace(/\s/g, ""));
        for (const line of shown.split("\n")) expect(line.length).toBeLessThan(20);
      }),
    );
  });
});
