import type { ReplyDirectiveCodec } from "pi-agent/embed";
import { describe, expect, it } from "vitest";
import { delta, end, start, watch } from "../../test/embed-events.js";

/** A line `MEDIA: url` attaches a medium, as in a product. */
const codec: ReplyDirectiveCodec = {
  parse: (text) => {
    const mediaUrls: string[] = [];
    const rest = text.replace(/^MEDIA: (\S+)\n?/gm, (_, url: string) => {
      mediaUrls.push(url);
      return "";
    });
    return { text: rest, ...(mediaUrls.length > 0 && { mediaUrls }) };
  },
  stripTrailing: (text) => text,
};

describe("partial replies with directives", () => {
  it("report a text that turns into a directive with the next text only", () => {
    const { source, partials } = watch({ directives: codec });
    source.emit(start, delta("MEDIA:"), delta(" https://example.com/a.png\nCaption"));
    expect(partials).toEqual([{ text: "MEDIA:", delta: "MEDIA:" }]);
    source.emit(delta(" here"));
    expect(partials.slice(1)).toEqual([{ text: "Caption here", delta: "", mediaUrls: ["https://example.com/a.png"] }]);
    source.emit(delta("."), end("MEDIA: https://example.com/a.png\nCaption here."));
    expect(partials.slice(2)).toEqual([{ text: "Caption here.", delta: "." }]);
  });

  it("report it at the end of the message if no text follows", () => {
    const { source, partials } = watch({ directives: codec });
    const whole = "Look:\nMEDIA: https://example.com/a.png\n";
    source.emit(start, delta("Look:\nMED"), delta("IA: https://example.com/a.png\n"), end(whole));
    expect(partials).toEqual([
      { text: "Look:\nMED", delta: "Look:\nMED" },
      { text: "Look:\n", delta: "", mediaUrls: ["https://example.com/a.png"] },
    ]);
  });

  it("report each medium once, also without text", () => {
    const { source, partials } = watch({ directives: codec });
    source.emit(start, delta("MEDIA: a.png"), delta("\n"), delta("MEDIA: b.png\nBoth."));
    expect(partials).toEqual([
      { text: "", delta: "", mediaUrls: ["a.png"] },
      { text: "Both.", delta: "Both.", mediaUrls: ["b.png"] },
    ]);
  });

  it("read a bounded part of a long line for each delta", () => {
    let read = 0;
    const counting: ReplyDirectiveCodec = {
      ...codec,
      parse: (text) => {
        read += text.length;
        return codec.parse(text);
      },
    };
    const { source, partials } = watch({ directives: counting });
    const deltas = Array.from({ length: 20_000 }, () => delta("word "));
    source.emit(start, ...deltas);
    expect(partials).toHaveLength(20_000);
    expect(partials.at(-1)?.text).toBe("word ".repeat(20_000));
    expect(read / 20_000).toBeLessThan(1100);
  });
});
