/**
 * The cost of a long response, as the number of characters that are read. Time is unreliable on a busy machine; code
 * that rereads the whole text at each delta shows up here as quadratic.
 */

import type { EmbedOptions, ReplyDirectiveCodec } from "pi-agent/embed";
import { describe, expect, it } from "vitest";
import { delta, end, start, textEnd, watch } from "./embed-events.js";

const PARAGRAPH =
  "text with `code <b>` and <b> a sentence, that goes on. <think>Hm.</think> More!\n\nA list:\n\n```js\na < b;\n```\n";

/** Methods that read a whole string. */
const WHOLE = ["includes", "indexOf", "startsWith", "trim", "trimEnd", "replace", "split", "toLowerCase"] as const;

/** Runs a function, and returns how many characters it read. */
function countCharacters(run: () => void): number {
  const prototype = String.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  const originals = new Map([...WHOLE, "slice", "charCodeAt"].map((name) => [name, prototype[name]!]));
  const joined = new Set<number>();
  let count = 0;
  /** A text built by appending is joined before it can be read, which reads all of it once. */
  const join = ({ length }: string): void => {
    if (length > 256 && !joined.has(length)) count += length;
    joined.add(length);
    count++;
  };
  for (const [name, original] of originals) {
    prototype[name] = function (this: string, ...args: unknown[]): unknown {
      join(this);
      const result = original.apply(this, args);
      if (name === "slice") count += (result as string).length;
      else if (name !== "charCodeAt") count += this.length;
      return result;
    };
  }
  try {
    run();
  } finally {
    for (const [name, original] of originals) prototype[name] = original;
  }
  return count;
}

function costOf(size: number, options: EmbedOptions): number {
  // No two paragraphs are the same, because a block that repeats the one before it is dropped.
  let text = "";
  for (let number = 1; text.length < size; number++) text += `${number} ${PARAGRAPH}`;
  const events = [start];
  for (let at = 0; at < text.length; at += 4) events.push(delta(text.slice(at, at + 4)));
  events.push(textEnd(text), end(text));
  const { subscription } = watch({ onPartialReply: () => {}, onBlockReply: () => {}, ...options });
  const cost = countCharacters(() => {
    for (const event of events) subscription.handleEvent(event);
  });
  expect(subscription.assistantTexts.join("").length).toBeGreaterThan(size / 2);
  return cost;
}

const codec: ReplyDirectiveCodec = {
  parse: (text) => ({ text: text.replace(/\[\[.*?\]\]/g, "") }),
  stripTrailing: (text) => text.replace(/\[(\[[^\]]*\]?)?$/, ""),
};

describe("the cost of a long response", () => {
  it.each<[string, EmbedOptions]>([
    ["chunker, tags and partial replies", { chunker: {}, blockReplyBreak: "text_end" }],
    ["delivered at the end", { chunker: { minChars: 20, maxChars: 100 } }],
    [
      "short blocks",
      { chunker: { minChars: 1, maxChars: 40, breakPreference: "whitespace" }, blockReplyBreak: "text_end" },
    ],
    ["no chunker", { blockReplyBreak: "text_end", accumulate: "contentIndex" }],
    ["directives", { directives: codec, chunker: {}, blockReplyBreak: "text_end" }],
  ])("grows linearly: %s", (_, options) => {
    const small = costOf(20_000, options);
    const large = costOf(80_000, options);
    expect(large / small).toBeLessThan(4.4);
    expect(large).toBeLessThan(80_000 * 60);
  });

  it("detects quadratic work", () => {
    const square = (size: number): number => {
      let all = "";
      const parse = (text: string): { text: string } => {
        all += text;
        all.trim();
        return { text };
      };
      return costOf(size, { directives: { parse, stripTrailing: (text) => text } });
    };
    expect(square(80_000) / square(20_000)).toBeGreaterThan(8);
  });
});
