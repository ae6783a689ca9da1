import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitBlocks } from "../../examples/web-chat/src/page/split-blocks.js";

/** Pieces that begin, continue and end blocks of every kind. */
const PIECES = [
  "a",
  "2",
  ".",
  " ",
  "-",
  "\n",
  "\n\n",
  "> ",
  "# ",
  "```ts\n",
  "```",
  "**",
  "`",
  "|",
  "|-|-|\n",
  "    ",
  "<b>",
  "1. x\n",
];

function shapeOf(text: string): string[] {
  return splitBlocks({ text }).flatMap(({ type, raw }) => (type === "space" ? [] : [`${type} ${raw.trimEnd()}`]));
}

describe("splitBlocks", () => {
  it("splits growing text as it splits the whole text", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }), (pieces) => {
        let text = "";
        for (const piece of pieces) {
          text += piece;
          const grown = shapeOf(text);
          // Text that does not continue the last one is read from its beginning.
          splitBlocks({ text: "\u0000" });
          const whole = shapeOf(text);
          expect(grown).toEqual(whole);
        }
      }),
      { numRuns: 200, seed: 3 },
    );
  });

  it("keeps finished blocks while the text grows", () => {
    const first = splitBlocks({ text: "# One\n\nTwo\n\nThree" });
    const second = splitBlocks({ text: "# One\n\nTwo\n\nThree and more\n\n```ts\nlet" });
    expect(second[0]).toBe(first[0]);
    expect(second.map(({ type }) => type)).toEqual([
      "heading",
      "space",
      "paragraph",
      "space",
      "paragraph",
      "space",
      "code",
    ]);
  });

  it("reads an unchanged block once", () => {
    const content = { text: "Some *text*" };
    expect(splitBlocks(content)).toBe(splitBlocks(content));
  });

  it.each([
    ["quotes", "> ".repeat(20_000)],
    ["emphasis", "_a".repeat(100_000)],
    ["brackets", "[".repeat(100_000)],
    ["a very long text", "a ".repeat(300_000)],
  ])("shows %s without an end as text", (_, text) => {
    const blocks = splitBlocks({ text });
    expect(blocks).toHaveLength(1);
    expect(blocks[0]).toMatchObject({ type: "paragraph", tokens: [{ type: "escape" }] });
  });
});
