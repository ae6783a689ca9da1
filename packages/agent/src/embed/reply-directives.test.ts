import { describe, expect, it } from "vitest";
import { createReplyDirectiveAccumulator, identityCodec, type ReplyDirectiveCodec } from "./reply-directives.js";

/** `[[x]]` attaches a medium, `[[>id]]` answers a message. */
const codec: ReplyDirectiveCodec = {
  parse: (text) => {
    const payload: ReturnType<ReplyDirectiveCodec["parse"]> = {};
    const rest = text.replace(/\[\[(>?)(.*?)\]\]/g, (_, responses: string, value: string) => {
      if (responses) payload.replyToId = value;
      else payload.mediaUrls = [...(payload.mediaUrls ?? []), value];
      return "";
    });
    return { text: rest, meta: { [String(text.length)]: true }, ...payload };
  },
  stripTrailing: (text) => text.replace(/\[(\[[^\]]*\]?)?$/, ""),
};

describe("the directive accumulator", () => {
  it("returns text at once if there are no directives", () => {
    expect(createReplyDirectiveAccumulator(identityCodec).consume(" a ")).toEqual({ text: " a " });
  });

  it("holds a directive back until it is whole", () => {
    const directives = createReplyDirectiveAccumulator(codec);
    expect(directives.consume("See [")).toMatchObject({ text: "See " });
    expect(directives.consume("[a.p")).toBeNull();
    expect(directives.consume("ng]] now")).toMatchObject({ text: " now", mediaUrls: ["a.png"] });
  });

  it("keeps a directive without text for the next text", () => {
    const directives = createReplyDirectiveAccumulator(codec);
    expect(directives.consume("[[>7]]")).toBeNull();
    expect(directives.consume("Yes")).toMatchObject({ text: "Yes", replyToId: "7", meta: { 6: true, 3: true } });
    expect(directives.consume("No")).not.toHaveProperty("replyToId");
  });

  it("at the end, held-back characters are text", () => {
    const directives = createReplyDirectiveAccumulator(codec);
    directives.consume("See [[a");
    expect(directives.consume("", { final: true })).toMatchObject({ text: "[[a" });
    expect(directives.consume("", { final: true })).toBeNull();
  });

  it("an endless directive becomes text at a limit", () => {
    const directives = createReplyDirectiveAccumulator(codec);
    let given = 0;
    for (let index = 0; index < 500; index++)
      given += directives.consume(index === 0 ? "[[" : "abcd")?.text?.length ?? 0;
    expect(given).toBeGreaterThan(900);
  });

  it("drops held-back characters on reset", () => {
    const directives = createReplyDirectiveAccumulator(codec);
    directives.consume("[[>7]]");
    directives.consume("[[a");
    directives.reset();
    expect(directives.consume("b]]")).toEqual({ text: "b]]", meta: { 3: true } });
  });
});
