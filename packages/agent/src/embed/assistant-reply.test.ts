import fc from "fast-check";
import type { EmbedOptions } from "pi-agent/embed";
import { describe, expect, it } from "vitest";
import { delta, end, start, textEnd, watch } from "../../test/embed-events.js";

const PARTS = [
  "word ",
  "two",
  "\n\n",
  "<think>",
  "</think>",
  "<final>",
  "</final>",
  "`",
  "```\n",
  ". ",
  "👍",
  "<",
] as const;

/** A text in pieces, with the ends of its parts at random positions. */
const STREAM = fc.record({
  pieces: fc.array(fc.constantFrom(...PARTS), { maxLength: 25 }).chain((parts) => {
    const text = parts.join("");
    return fc.array(fc.nat(text.length), { maxLength: 12 }).map((cuts) => split(text, cuts));
  }),
  ends: fc.array(fc.record({ after: fc.nat(12), upTo: fc.nat(12) }), { maxLength: 5 }),
});

function split(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...[...cuts].sort((one, other) => one - other), text.length];
  return places.slice(1).map((place, index) => text.slice(places[index], place));
}

type Stream = { pieces: readonly string[]; ends: readonly { after: number; upTo: number }[] };

function run({ pieces, ends }: Stream, options: EmbedOptions): ReturnType<typeof watch> {
  const watched = watch(options);
  watched.source.emit(start);
  pieces.forEach((piece, index) => {
    watched.source.emit(delta(piece));
    for (const { after, upTo } of ends)
      if (after === index) watched.source.emit(textEnd(pieces.slice(0, Math.min(upTo, index) + 1).join("")));
  });
  const text = pieces.join("");
  watched.source.emit(end(text), textEnd(text), end(text));
  return watched;
}

const whole = (stream: Stream): Stream => ({ pieces: [stream.pieces.join("")], ends: [] });

describe("any split of a text, with repeated, late or missing text_end, 5.5", () => {
  it("produces the same text at the end, in one reply", () => {
    fc.assert(
      fc.property(STREAM, (stream) => {
        const { subscription, texts, partials } = run(stream, {});
        const expected = run(whole(stream), {});
        expect(subscription.assistantTexts).toEqual(expected.subscription.assistantTexts);
        expect(texts()).toEqual(expected.texts());
        expect(partials.at(-1)?.text.trimEnd()).toBe(expected.partials.at(-1)?.text.trimEnd());
      }),
      { seed: 1, numRuns: 1000 },
    );
  });

  it("shows a text that only grows, until the end may correct it", () => {
    fc.assert(
      fc.property(STREAM, (stream) => {
        const { partials } = run(stream, {});
        let shown = "";
        for (const { text, delta: added } of partials) {
          if (added !== "") expect(text).toBe(shown + added);
          else expect(text).toBe(partials.at(-1)?.text);
          shown = text;
        }
      }),
      { seed: 1, numRuns: 1000 },
    );
  });

  it("delivers the same words in complete blocks", () => {
    fc.assert(
      fc.property(STREAM, fc.constantFrom("text_end" as const, "message_end" as const), (stream, blockReplyBreak) => {
        const options = { chunker: { minChars: 4, maxChars: 24 }, blockReplyBreak, dedupe: { maxEntries: 0 } };
        const untouched = { ...stream, ends: [] };
        expect(run(untouched, options).texts()).toEqual(run({ ...whole(stream) }, options).texts());
      }),
      { seed: 1, numRuns: 1000 },
    );
  });
});
