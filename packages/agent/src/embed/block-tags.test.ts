import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BlockTagStripper, createBlockTagState, type StripOptions, stripBlockTags } from "./block-tags.js";

const strip = (text: string, options?: StripOptions): string => stripBlockTags(text, createBlockTagState(), options);

describe("tag stripping, 5.6", () => {
  it.each([
    ["thinking tags take their contents along", "a<think>b</think>c", "ac"],
    ["in every spelling", "a<Thinking>b</ THINKING >c<thought x=1>d</thought>e", "ace"],
    ["final tags go alone", "<final>yes</final>", "yes"],
    ["a misprint of one is text", "yes</sfinal>", "yes</sfinal>"],
    ["with spaces in them", "< final >yes</ final >", "yes"],
    ["a closing tag that nothing opened goes too", "a</think>b", "ab"],
    ["an empty tag opens nothing", "a<think/>b", "ab"],
    ["an open tag hides the rest", "a<think>b", "a"],
    ["other tags are text", "a <b>c</b> <thinker> < 3", "a <b>c</b> <thinker> < 3"],
    ["the beginning of a tag at the end is text", "a <thi", "a <thi"],
    ["final tags in reasoning change nothing", "<think><final></think>a", "a"],
    ["tags in a code span are literal", "use `<think>` and ``a`<final>``.", "use `<think>` and ``a`<final>``."],
    ["tags in a fence are literal", "```xml\n<think>\n```\n<think>x</think>y", "```xml\n<think>\n```\ny"],
    ["also in a fence of tildes", "~~~\n<final>\n~~~\n<final>", "~~~\n<final>\n~~~\n"],
    ["a span that never closes ends with its paragraph", "it`s\n\n<think>x</think>y", "it`s\n\ny"],
    ["a tag right behind a closing fence counts", "<final>```\na\n```</final>", "```\na\n```"],
    ["a span at the start of a line is no fence", "```a``` <think>b</think>c", "```a``` c"],
    ["code opened in reasoning hides its end, as any code does", "<think>`</think>`a</think>b", "b"],
    ["a tag of one line too long is text", `<think ${"a".repeat(200)}>`, `<think ${"a".repeat(200)}>`],
  ])("%s", (_, text, shown) => {
    expect(strip(text)).toBe(shown);
  });

  it("state is kept between pieces", () => {
    const state = createBlockTagState();
    expect(stripBlockTags("a<think>b", state)).toBe("a");
    expect(state.thinking).toBe(true);
    expect(stripBlockTags("c</think>d", state)).toBe("d");
    expect(stripBlockTags("`<fi", state, { more: true })).toBe("`<fi");
    expect(stripBlockTags("nal>`", state)).toBe("nal>`");
  });

  it("with enforceFinal, only the text in final tags remains", () => {
    expect(strip("no<final>yes</final>no<final>more", { enforceFinal: true })).toBe("yesmore");
  });

  it("accepts other tag names", () => {
    const options = { thinking: ["reason:ing"], final: ["answer"] };
    expect(strip("<reason:ing>a</reason:ing><answer>b</answer><think>c", options)).toBe("b<think>c");
  });

  it("produces the same text for any split", () => {
    const parts = fc.constantFrom(
      "<think>",
      "</think>",
      "<final>",
      "</final>",
      "`",
      "```",
      "~~~",
      "\n",
      " ",
      "a",
      "<",
      "x",
    );
    const cuts = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 });
    fc.assert(
      fc.property(fc.array(parts), cuts, fc.boolean(), (list, sizes, enforceFinal) => {
        const text = list.join("");
        const stripper = new BlockTagStripper({ enforceFinal });
        let shown = "";
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const size = sizes[turn % sizes.length]!;
          shown += stripper.push(text.slice(at, at + size));
          at += size;
        }
        expect(shown + stripper.flush()).toBe(strip(text, { enforceFinal }));
      }),
      { seed: 1, numRuns: 1000 },
    );
  });
});
