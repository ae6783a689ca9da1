import { shortenText } from "pi-ai/call";
import { describe, expect, it } from "vitest";

const mark = (missing: number): string => `<${missing}>`;

describe("shortenText", () => {
  it("keeps a text of the longest length", () => {
    expect(shortenText("abcdef", 6, { head: 2, tail: 2, mark })).toBe("abcdef");
  });

  it("keeps the beginning and the end of a longer one, and states what is missing", () => {
    expect(shortenText("abcdef", 5, { head: 2, tail: 2, mark })).toBe("ab<2>ef");
    expect(shortenText("abcdef", 3, { head: 3, mark })).toBe("abc<3>");
    expect(shortenText("abcdef", 0, { head: 0, mark })).toBe("<6>");
  });

  it("never splits a surrogate pair, and counts what is missing", () => {
    const text = "a\u{1f30d}bc\u{1f30d}d";
    for (let head = 0; head <= text.length; head++)
      for (let tail = 0; head + tail <= text.length; tail++) {
        const short = shortenText(text, -1, { head, tail, mark });
        expect(short.isWellFormed()).toBe(true);
        const missing = Number(/<(\d+)>/.exec(short)?.[1]);
        expect(short.replace(/<\d+>/, "").length + missing).toBe(text.length);
      }
  });

  it("leaves lone surrogates of the text as they are", () => {
    expect(shortenText("\ud83c\ud83cab\udf0d\udf0d", 3, { head: 1, tail: 1, mark })).toBe("\ud83c<4>\udf0d");
  });
});
