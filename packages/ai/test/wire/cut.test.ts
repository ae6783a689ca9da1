import { describe, expect, it } from "vitest";
import { betweenCrAndLf, randomPieces, singleBytes, sseEvents, whole, withCrlf } from "./cut.js";

const BODY = Buffer.from('event: a\ndata: {"é":1}\n\n: comment\n\ndata: 2\n\ndata: cut');

function textsOf(pieces: Buffer[]): string[] {
  return pieces.map((piece) => piece.toString());
}

describe("ways to split a body", () => {
  it.each([
    ["whole", whole],
    ["events", sseEvents],
    ["single bytes", singleBytes()],
    ["single bytes at both ends", singleBytes(8)],
    ["random pieces", randomPieces("seed")],
    ["between CR and LF", betweenCrAndLf],
  ])("lose nothing: %s", (_name, cut) => {
    for (const body of [BODY, withCrlf(BODY), Buffer.alloc(0), Buffer.alloc(50_000, "x")])
      expect(Buffer.concat(cut(body)).equals(body)).toBe(true);
  });

  it("splits after each blank line, with any line ending", () => {
    const events = ['event: a\ndata: {"é":1}\n\n', ": comment\n\n", "data: 2\n\n", "data: cut"];
    expect(textsOf(sseEvents(BODY))).toEqual(events);
    expect(textsOf(sseEvents(withCrlf(BODY)))).toEqual(events.map((event) => event.replaceAll("\n", "\r\n")));
    expect(textsOf(sseEvents(Buffer.from("a\r\rb\r\r")))).toEqual(["a\r\r", "b\r\r"]);
  });

  it("returns single bytes; of a long body, at its ends", () => {
    expect(singleBytes()(BODY)).toHaveLength(BODY.length);
    const lengths = singleBytes(8)(Buffer.alloc(64)).map((piece) => piece.length);
    expect(lengths.slice(0, 4)).toEqual([1, 1, 1, 1]);
    expect(lengths.slice(-4)).toEqual([1, 1, 1, 1]);
    expect(lengths).toContain(11);
  });

  it("returns the same random pieces only for the same seed", () => {
    const body = Buffer.alloc(100_000);
    const lengths = (seed: string): number[] => randomPieces(seed)(body).map((piece) => piece.length);
    expect(lengths("one")).toEqual(lengths("one"));
    expect(lengths("one")).not.toEqual(lengths("two"));
    expect(lengths("one")).toContain(1);
    expect(Math.max(...lengths("one"))).toBeGreaterThan(1000);
  });

  it("separates every CR from its LF", () => {
    const pieces = textsOf(betweenCrAndLf(withCrlf(BODY)));
    expect(pieces.some((piece) => piece.includes("\r\n"))).toBe(false);
    expect(pieces.filter((piece) => piece.startsWith("\n"))).toHaveLength(7);
  });
});
