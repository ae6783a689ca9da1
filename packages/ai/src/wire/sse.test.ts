import { describe, expect, it } from "vitest";
import { processorTime } from "../../../../test/support/patience.js";
import { MAX_EVENT_LENGTH, SseDecoder } from "./sse.js";

type Seen = [data: string, name: string | undefined];

function decode(pieces: readonly string[]): Seen[] {
  const decoder = new SseDecoder();
  const seen = pieces.flatMap((piece) => {
    decoder.push(piece);
    return takeAll(decoder);
  });
  decoder.end();
  return [...seen, ...takeAll(decoder)];
}

function takeAll(decoder: SseDecoder): Seen[] {
  const seen: Seen[] = [];
  for (let event = decoder.next(); event !== undefined; event = decoder.next()) seen.push([event.data, event.event]);
  return seen;
}

const BODY =
  'event: one\ndata: {"a":\ndata: 1}\n\n: a comment\n\ndata:second\nid: 7\nretry: 5\nodd: x\n\nevent: empty\n\ndata: last';
const EVENTS: Seen[] = [
  ['{"a":\n1}', "one"],
  ["second", undefined],
  ["last", undefined],
];

describe("SseDecoder", () => {
  it.each([
    ["LF", "\n"],
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ])("reads lines that end with %s, split at any place", (_, newline) => {
    const body = BODY.replaceAll("\n", newline);
    for (let at = 0; at <= body.length; at++) expect(decode([body.slice(0, at), body.slice(at)])).toEqual(EVENTS);
    expect(decode([...body])).toEqual(EVENTS);
  });

  it("reads fields without a space, without a value and without a colon", () => {
    expect(decode(["event:one\ndata:1\n\n"])).toEqual([["1", "one"]]);
    expect(decode(["data: 1\ndata\ndata:\ndata:  2\n\n"])).toEqual([["1\n\n\n 2", undefined]]);
    expect(decode(["event: one\nevent\ndata: 1\n\n"])).toEqual([["1", ""]]);
  });

  it("ignores a byte order mark", () => {
    expect(decode([`\ufeff${BODY}`])).toEqual(EVENTS);
    expect(decode(["\ufeff", BODY])).toEqual(EVENTS);
  });

  it("returns a last event without a blank line, and nothing for a body without events", () => {
    expect(decode(["data: x\n"])).toEqual([["x", undefined]]);
    expect(decode(["data: x\n\n"])).toEqual([["x", undefined]]);
    expect(decode(["event: x\n"])).toEqual([]);
    expect(decode(["<html>not: events</html>"])).toEqual([]);
    expect(decode([])).toEqual([]);
  });

  it("reads 8 MB in pieces of 1 KB in linear time", async () => {
    const pieces = ["data: ", ...Array.from({ length: 8192 }, () => "x".repeat(1024)), "\n\n"];
    const spent = await processorTime(() => expect(decode(pieces)[0]?.[0].length).toBe(8 * 1024 * 1024));
    expect(spent).toBeLessThan(3000);
  });

  it.each([
    ["a line", "x".repeat(1024 * 1024), "data: "],
    ["many lines", `data: ${"x".repeat(1024 * 1024)}\n`, ""],
  ])("rejects an event that never ends: %s", (_, piece, start) => {
    const decoder = new SseDecoder();
    decoder.push(start);
    const flood = (): void => {
      for (let length = 0; length < 2 * MAX_EVENT_LENGTH; length += piece.length) {
        decoder.push(piece);
        takeAll(decoder);
      }
    };
    expect(flood).toThrow(expect.objectContaining({ kind: "protocol", retryable: false }));
  });
});
