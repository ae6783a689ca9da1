import fc from "fast-check";
import { type BlockChunkerOptions, createBlockChunker } from "pi-agent/embed";
import { describe, expect, it } from "vitest";

function chunk(text: string, options: BlockChunkerOptions, size: number = text.length || 1): string[] {
  const chunker = createBlockChunker(options);
  const chunks: string[] = [];
  const emit = (one: string): void => void chunks.push(one);
  for (let at = 0; at < text.length; at += size) {
    chunker.append(text.slice(at, at + size));
    chunker.drain({ force: false, emit });
  }
  chunker.drain({ force: true, emit });
  expect(chunker.hasBuffered()).toBe(false);
  return chunks;
}

describe("the block chunker", () => {
  it.each<[string, BlockChunkerOptions, string, string[]]>([
    [
      "ends at paragraphs",
      { minChars: 5, maxChars: 50 },
      "First one.\n\nSecond one.\n\nRest",
      ["First one.", "Second one.", "Rest"],
    ],
    [
      "not before the block is long enough",
      { minChars: 12, maxChars: 50 },
      "First.\n\nSecond one.\n\nRest",
      ["First.\n\nSecond one.", "Rest"],
    ],
    [
      "ends at lines",
      { minChars: 3, maxChars: 50, breakPreference: "newline" },
      "one\ntwo\n  three",
      ["one", "two", "  three"],
    ],
    [
      "ends at sentences",
      { minChars: 3, maxChars: 50, breakPreference: "sentence" },
      'It is. "Is it?" Yes! 3. No',
      ["It is.", '"Is it?"', "Yes!", "3. No"],
    ],
    [
      "ends at wide full stops",
      { minChars: 2, maxChars: 50, breakPreference: "sentence" },
      "你好。再见！吗",
      ["你好。", "再见！", "吗"],
    ],
    [
      "ends at spaces",
      { minChars: 3, maxChars: 50, breakPreference: "whitespace" },
      "one two a b three",
      ["one", "two", "a b", "three"],
    ],
    [
      "falls back to a line, then a sentence, then a space",
      { minChars: 1, maxChars: 10 },
      "one\ntwo three. A b c d e f",
      ["one", "two three.", "A b c d e", "f"],
    ],
    ["cuts where there is nothing else", { minChars: 1, maxChars: 4 }, "abcdefghij", ["abcd", "efgh", "ij"]],
  ])("%s", (_, options, text, chunks) => {
    expect(chunk(text, options, 1)).toEqual(chunks);
  });

  it("emits as few blocks as possible if the whole text is available", () => {
    const chunker = createBlockChunker({ minChars: 3, maxChars: 20 });
    chunker.append("First.\n\nSecond.\n\nThird.\n\n");
    const chunks: string[] = [];
    chunker.drain({ force: true, emit: (one) => chunks.push(one) });
    expect(chunks).toEqual(["First.\n\nSecond.", "Third."]);
  });

  it("holds the text after a block without the line breaks before it", () => {
    for (const pieces of [["First.\n\n\nSecond."], ["First.\n\n", "\nSecond."], ["First.", "\n", "\n\nSecond."]]) {
      const chunker = createBlockChunker({ minChars: 3, maxChars: 12 });
      const chunks: string[] = [];
      for (const piece of pieces) {
        chunker.append(piece);
        chunker.drain({ force: false, emit: (one) => chunks.push(one) });
      }
      expect([chunks, chunker.bufferedText]).toEqual([["First."], "Second."]);
      chunker.drain({ force: true, emit: (one) => chunks.push(one) });
      expect([chunks, chunker.bufferedText, chunker.hasBuffered()]).toEqual([["First.", "Second."], "", false]);
    }
  });

  it("breaks at a paragraph right after a fence, and holds only what follows", () => {
    const chunker = createBlockChunker({ minChars: 1, maxChars: 40, breakPreference: "paragraph" });
    chunker.append("Intro\n```js\nconsole.log('x')\n```\n\nAfter first line\nAfter second line");
    const chunks: string[] = [];
    chunker.drain({ force: false, emit: (one) => chunks.push(one) });
    expect(chunks).toEqual(["Intro\n```js\nconsole.log('x')\n```"]);
    expect(chunker.bufferedText).toBe("After first line\nAfter second line");
  });

  it("keeps the blank lines of a fence that it cut", () => {
    const chunker = createBlockChunker({ minChars: 1, maxChars: 16 });
    chunker.append("```\nconst a\n\n\nconst b\n");
    const chunks: string[] = [];
    chunker.drain({ force: false, emit: (one) => chunks.push(one) });
    expect(chunks).toEqual(["```\nconst a\n```"]);
    expect(chunker.bufferedText).toBe("\nconst b\n");
  });

  it("returns its buffer, and clears it", () => {
    const chunker = createBlockChunker({});
    chunker.append("held");
    expect([chunker.hasBuffered(), chunker.bufferedText]).toEqual([true, "held"]);
    chunker.reset();
    expect([chunker.hasBuffered(), chunker.bufferedText]).toEqual([false, ""]);
  });

  it("closes a fence that it must split, and reopens it", () => {
    const text = "Look:\n```js\nconst a = 1;\nconst b = 2;\nconst c = 3;\n```\nDone.";
    expect(chunk(text, { minChars: 20, maxChars: 40 }, 1)).toEqual([
      "Look:\n```js\nconst a = 1;\n```",
      "```js\nconst b = 2;\nconst c = 3;\n```",
      "Done.",
    ]);
  });

  it("prefers to end before a fence, not inside it", () => {
    const text = "A sentence before.\n\n~~~\nlong code here\nmore code here\n~~~\n";
    expect(chunk(text, { minChars: 10, maxChars: 45 }, 1)).toEqual([
      "A sentence before.",
      "~~~\nlong code here\nmore code here\n~~~",
    ]);
  });

  it("closes a fence that is still open at the end of the text", () => {
    expect(chunk("```\ncode", { minChars: 1, maxChars: 50 })).toEqual(["```\ncode\n```"]);
  });

  it("never splits a surrogate pair, for any limit", () => {
    for (const maxChars of [1, 2, 3, 4, 5]) {
      const chunks = chunk("👍👍a👍👍👍bc👍", { minChars: 1, maxChars }, 1);
      expect(chunks.every((one) => one.isWellFormed())).toBe(true);
      expect(chunks.join("")).toBe("👍👍a👍👍👍bc👍");
    }
  });

  const parts = fc.constantFrom(
    "word",
    "a",
    " ",
    "\n",
    "\n\n",
    ". ",
    "\n```\n",
    "\n```js\n",
    "\n  ~~~~\n",
    "`",
    "👍",
    "long-long-word",
    "  ",
  );
  const texts = fc.array(parts, { maxLength: 60 }).map((list) => list.join(""));
  const bounds = fc.record({ minChars: fc.integer({ min: 1, max: 30 }), maxChars: fc.integer({ min: 24, max: 60 }) });
  const preferences = fc.constantFrom(
    "paragraph" as const,
    "newline" as const,
    "sentence" as const,
    "whitespace" as const,
  );

  it("depends only on the text, not on its pieces", () => {
    fc.assert(
      fc.property(texts, bounds, preferences, fc.integer({ min: 2, max: 9 }), (text, limits, breakPreference, size) => {
        const options = { ...limits, breakPreference };
        expect(chunk(text, options, size)).toEqual(chunk(text, options, 1));
      }),
      { seed: 1, numRuns: 1000 },
    );
  });

  it("keeps every word, respects every limit, and balances every fence", () => {
    fc.assert(
      fc.property(texts, bounds, preferences, fc.boolean(), (text, limits, breakPreference, atOnce) => {
        const chunks = chunk(text, { ...limits, breakPreference }, atOnce ? undefined : 3);
        const bare = (value: string): string => value.replace(/[\s`~]/g, "").replaceAll("js", "");
        expect(bare(chunks.join(""))).toBe(bare(text));
        for (const one of chunks.slice(0, -1)) expect(one.length).toBeLessThanOrEqual(limits.maxChars);
        for (const one of chunks) expect(isBalanced(one)).toBe(true);
      }),
      { seed: 1, numRuns: 1000 },
    );
  });
});

/** Read line by line, unlike the scanner under test. */
function isBalanced(text: string): boolean {
  let open: string | undefined;
  for (const line of text.split("\n")) {
    const run = /^\s*(`{3,32}(?=[^`]*$)|~{3,32}(?!~))(.*)$/.exec(line);
    if (!run?.[1]) continue;
    if (!open) open = run[1];
    else if (run[1][0] === open[0] && run[1].length >= open.length && run[2]?.trim() === "") open = undefined;
  }
  return open === undefined;
}
