import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeTextContent, TextAccumulator } from "./text-accumulator.js";

describe("the table of 5.5: the text that a content adds", () => {
  it.each([
    ["content starts with the buffer: the suffix", "Hello", "Hello world", " world"],
    ["content equals the buffer: nothing", "Hello", "Hello", ""],
    ["the buffer is empty: all of it", "", "Hello", "Hello"],
    ["the buffer starts with content, an older repeat: nothing", "Hello world", "Hello", ""],
    ["content does not occur in the buffer: all of it", "Hello", "Other", "Other"],
    ["content occurs inside the buffer: nothing", "say Hello now", "Hello", ""],
  ])("%s", (_, buffer, content, added) => {
    expect(mergeTextContent(buffer, content)).toBe(added);
  });
});

describe("the steps of 5.5", () => {
  it("step 1: a text_delta is always added, even if it repeats text", () => {
    const text = new TextAccumulator();
    expect([text.add({ type: "text_delta", delta: "ha" }), text.add({ type: "text_delta", delta: "ha" })]).toEqual([
      "ha",
      "ha",
    ]);
  });

  it.each(["text_start", "text_end"])("step 2: a delta on %s goes before its content", (type) => {
    expect(new TextAccumulator().add({ type, delta: "new", content: "old" })).toBe("new");
  });

  it.each(["text_start", "text_end"])("step 2: %s without a delta is compared by content", (type) => {
    const text = new TextAccumulator();
    text.add({ type: "text_delta", delta: "Hel" });
    expect(text.add({ type, content: "Hello" })).toBe("lo");
    expect(text.add({ type })).toBe("");
  });

  it("keeps content blocks apart in the scope of a block", () => {
    const add = (scope: "message" | "contentIndex"): string[] => {
      const text = new TextAccumulator(scope);
      return [0, 1].map((contentIndex) => text.add({ type: "text_end", content: "Done.", contentIndex }));
    };
    expect(add("contentIndex")).toEqual(["Done.", "Done."]);
    expect(add("message")).toEqual(["Done.", ""]);
  });

  it("ignores the repeat of a text_end after the message", () => {
    const text = new TextAccumulator();
    text.add({ type: "text_delta", delta: "Hello" });
    text.end("Hello");
    expect(text.add({ type: "text_end", content: "Hello" })).toBe("");
    expect(text.add({ type: "text_delta", delta: "Next" })).toBe("Next");
  });

  it("any split, with repeated, late or missing text_end, produces the same text, which only grows", () => {
    const pieces = fc.array(fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom("a", "b", "<", " ") }));
    const ends = fc.array(fc.record({ after: fc.nat(20), upTo: fc.nat(20) }), { maxLength: 6 });
    fc.assert(
      fc.property(pieces, ends, (deltas, late) => {
        const text = new TextAccumulator();
        const whole = deltas.join("");
        let gathered = "";
        deltas.forEach((delta, index) => {
          gathered += text.add({ type: "text_delta", delta });
          for (const { after, upTo } of late) {
            // The end of any part that has arrived: repeated, or late.
            if (after === index)
              gathered += text.add({ type: "text_end", content: deltas.slice(0, Math.min(upTo, index + 1)).join("") });
            expect(whole.startsWith(gathered)).toBe(true);
          }
        });
        gathered += text.addMissing([{ index: 0, text: whole }]) ?? "";
        expect(gathered).toBe(whole);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it("adds text at the end that no event contained, and reports a difference", () => {
    const text = new TextAccumulator();
    text.add({ type: "text_delta", delta: "Hel" });
    expect(text.addMissing([{ index: 0, text: "Hello" }])).toBe("lo");
    expect(text.addMissing([{ index: 0, text: "Other" }])).toBeUndefined();
  });
});

it("takes a text that an earlier message had, too", () => {
  const texts = new TextAccumulator();
  expect(texts.add({ type: "text_delta", delta: "Yes.", contentIndex: 0 })).toBe("Yes.");
  expect(texts.add({ type: "text_end", content: "Yes.", contentIndex: 0 })).toBe("");
  texts.end("Yes.");
  texts.reset();
  expect(texts.add({ type: "text_end", content: "Yes.", contentIndex: 0 })).toBe("Yes.");
});
