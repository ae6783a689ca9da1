import { describe, expect, it } from "vitest";
import { toWellFormed } from "./well-formed-data.js";

describe("toWellFormed", () => {
  it("returns the same object for well-formed data", () => {
    const data = { text: "a \ud83c\udf0d", list: [1, null] };
    expect(toWellFormed(data)).toBe(data);
  });

  it("removes lone surrogates in values and keys, and changes nothing else", () => {
    const data = { "k\ud83c": ["\udf0d", { deep: "a\ud83cb\\ud83c\ud83c\udf0d" }] };
    expect(toWellFormed(data)).toEqual({ k: ["", { deep: "ab\\ud83c\ud83c\udf0d" }] });
  });
});
