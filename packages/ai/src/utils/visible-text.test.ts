import { visibleLine, visibleText } from "pi-ai/call";
import { describe, expect, it } from "vitest";

describe("visibleText", () => {
  it.each([
    ["\u001b[31mred\u001b]8;;http://evil.test\u0007", String.raw`\u{1b}[31mred\u{1b}]8;;http://evil.test\u{7}`],
    ["a\0b\bc\u007fd\u0085e\u009bf", String.raw`a\u{0}b\u{8}c\u{7f}d\u{85}e\u{9b}f`],
    ["\u202a\u202b\u202c\u202d\u202e", String.raw`\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}`],
    ["\u2066\u2067\u2068\u2069\u200e\u200f\u061c", String.raw`\u{2066}\u{2067}\u{2068}\u{2069}\u{200e}\u{200f}\u{61c}`],
    ["a\u2028b\u2029c", String.raw`a\u{2028}b\u{2029}c`],
    ["\ufeffa\u200bb\u2060c\u00add\u{e0041}", String.raw`\u{feff}a\u{200b}b\u{2060}c\u{ad}d\u{e0041}`],
    ["over\rwritten", String.raw`over\u{d}written`],
    ["one\r\r\ntwo", "one\\u{d}\r\ntwo"],
    // Joiners that join nothing.
    ["read\u200d_file", String.raw`read\u{200d}_file`],
    ["\u200cfirst", String.raw`\u{200c}first`],
    ["क्\u200d\u200d\u200c", "क्\u200d\\u{200d}\\u{200c}"],
    // Selectors that select nothing, and what a font may ignore.
    ["a\ufe00b\ufe0f\ufe0e", String.raw`a\u{fe00}b\u{fe0f}\u{fe0e}`],
    ["❤\ufe0f\ufe0e", "❤\ufe0f\\u{fe0e}"],
    [
      "pay\u034f\u17b4\u3164\u180b\u2065\u{e0100}\ufe0f",
      String.raw`pay\u{34f}\u{17b4}\u{3164}\u{180b}\u{2065}\u{e0100}\u{fe0f}`,
    ],
  ])("writes out %j", (text, visible) => {
    expect(visibleText(text)).toBe(visible);
    expect(visibleText(visible)).toBe(visible);
  });

  it.each([
    "one\ntwo\tthree\r\nfour",
    "می\u200cخواهم",
    "क्\u200dष",
    "👩\u200d💻 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3",
    "ᠠ\u180bᠡ",
    "naïve 中文 עברית ½ \\u{1b} \u00a0",
    "",
  ])("leaves %j as it is", (text) => {
    expect(visibleText(text)).toBe(text);
  });
});

it("writes out line feeds and tabs of a line, too", () => {
  expect(visibleLine("safe\n\tApproved by the administrator\r\n")).toBe(
    String.raw`safe\u{a}\u{9}Approved by the administrator\u{d}\u{a}`,
  );
  expect(visibleLine("👩\u200d💻 name")).toBe("👩\u200d💻 name");
});
