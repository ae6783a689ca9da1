import { describe, expect, it } from "vitest";
import { type BodyDecoder, createBodyDecoder, type Framing } from "./body-decoder.js";
import { DONE } from "./json-events.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Decoding {
  decoder: BodyDecoder;
  seen: unknown[];
}

/** @param isOver tells the event that ends the answer */
function start(framing: Framing = "sse", isOver: (event: unknown) => boolean = () => false): Decoding {
  const seen: unknown[] = [];
  const decoder = createBodyDecoder(framing, (event) => {
    seen.push(event);
    return isOver(event);
  });
  return { decoder, seen };
}

describe("createBodyDecoder: server-sent events", () => {
  const text = 'data: {"text":"Héllo 🌍"}\n\ndata: [DONE]\n\n';

  it("reads bytes cut at every place, inside characters too", () => {
    const all = bytes(text);
    for (let at = 0; at <= all.length; at++) {
      const { decoder, seen } = start();
      decoder.feed(all.subarray(0, at));
      decoder.feed(all.subarray(at));
      decoder.end();
      expect(seen).toEqual([{ text: "Héllo 🌍" }, DONE]);
    }
  });

  it("reads text as it reads bytes", () => {
    const { decoder, seen } = start();
    decoder.feed(text);
    expect(seen).toHaveLength(2);
  });

  it("reads on over bytes that are no UTF-8", () => {
    const { decoder, seen } = start();
    decoder.feed(new Uint8Array([...bytes('data: {"text":"a'), 0xff, 0xfe, ...bytes('b"}\n\n')]));
    expect(seen).toEqual([{ text: "a\ufffd\ufffdb" }]);
  });

  it("hands on nothing after the answer's own end", () => {
    const { decoder, seen } = start("sse", (event) => event === DONE);
    decoder.feed(`${text}data: {"late":1}\n\n`);
    decoder.feed("data: {{{\n\n");
    decoder.end();
    expect(seen).toEqual([{ text: "Héllo 🌍" }, DONE]);
    expect(decoder).toMatchObject({ over: true, events: 2 });
  });

  it("tells data from comments that keep a connection alive, however they are cut", () => {
    const progress = (...pieces: string[]): boolean[] => {
      const { decoder } = start();
      return pieces.map((piece) => decoder.feed(bytes(piece)));
    };
    expect(progress(": ping\n\n", ":\n", "\n", ":", " pi", "ng\n\n")).toEqual(Array.from({ length: 6 }, () => false));
    expect(progress("event: ping\n\n", "\n")).toEqual([false, false]);
    expect(progress("d", "ata: {", '"a":1}', "\n", "\n")).toEqual([true, true, true, true, true]);
    expect(progress(': ping\n\ndata: {"a', '":1}\n\n')).toEqual([true, true]);
    expect(progress("data: [DONE]\n\n")).toEqual([true]);
    expect(progress('data: {"a', '":1}\n\n: p', "ing", "\n\n", ": ping\n\n")).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it("keeps the beginning of a body without events, and no more of it", () => {
    const { decoder } = start();
    decoder.feed(bytes("<html>"));
    for (let count = 0; count < 100; count++) decoder.feed(bytes("x".repeat(1000)));
    expect(decoder.head.startsWith("<html>xxx")).toBe(true);
    expect(decoder.head.length).toBeLessThan(10_000);
    decoder.feed(bytes('\n\ndata: {"a":1}\n\n'));
    expect(decoder).toMatchObject({ head: "", events: 1 });
  });
});

describe("createBodyDecoder: messages", () => {
  it("takes each piece for one message", () => {
    const { decoder, seen } = start("json-messages");
    expect([decoder.feed('{"a":1}'), decoder.feed("null"), decoder.feed(bytes('{"b":2}'))]).toEqual([
      true,
      false,
      true,
    ]);
    decoder.end();
    expect(seen).toEqual([{ a: 1 }, { b: 2 }]);
    expect(() => decoder.feed("{{{")).toThrow(expect.objectContaining({ kind: "protocol" }));
  });
});
