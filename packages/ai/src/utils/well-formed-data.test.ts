import { describe, expect, it } from "vitest";
import { toWellFormed } from "./sanitize-unicode.js";

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
