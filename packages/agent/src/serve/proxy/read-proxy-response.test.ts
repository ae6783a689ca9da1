import { describe, expect, it } from "vitest";
import { createDataLines } from "./data-lines.js";

function split(...texts: string[]): [string, boolean][] {
  const found: [string, boolean][] = [];
  const lines = createDataLines((data, whole) => void found.push([data, whole]));
  for (const text of texts) lines.feed(text);
  lines.end();
  return found;
}

describe("createDataLines", () => {
  it("finds the same lines for any split of the text", () => {
    const text = 'data: {"a":1}\n\n: ping\r\ndata:{"b":2}\r\nid: 3\n\ndata: end';
    const whole: [string, boolean][] = [
      ['{"a":1}', true],
      ['{"b":2}', true],
      ["end", false],
    ];
    for (let cut = 0; cut <= text.length; cut++) expect(split(text.slice(0, cut), text.slice(cut))).toEqual(whole);
    expect(split(...text)).toEqual(whole);
  });

  it("reads a line of many pieces once, at its end", () => {
    let reads = 0;
    const startsWith = String.prototype.startsWith;
    // Reading the start of a growing string copies the string each time.
    String.prototype.startsWith = function (...given) {
      reads++;
      return startsWith.apply(this, given);
    };
    try {
      expect(split("data: ", ..."x".repeat(10_000))).toHaveLength(1);
    } finally {
      String.prototype.startsWith = startsWith;
    }
    expect(reads).toBeLessThan(10);
  });

  it("limits an endless line, with or without data", () => {
    for (const start of ["data: ", ": ", ""]) {
      const lines = createDataLines(() => {}, 100);
      lines.feed(start);
      expect(() => {
        for (let count = 0; count < 200; count++) lines.feed("x");
      }).toThrow("An event is longer than 100 characters");
    }
  });
});
