import { describe, expect, it } from "vitest";
import { type BodyDecoder, createBodyDecoder, DONE, type Framing, parseJsonEvent } from "./body-decoder.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Pushes the pieces one by one and returns the events of the whole body. */
function decode(pieces: readonly (Uint8Array | string)[], framing: Framing = "sse"): unknown[] {
  const decoder = createBodyDecoder(framing);
  const seen = pieces.flatMap((piece) => {
    decoder.push(piece);
    return takeAll(decoder);
  });
  decoder.end();
  return [...seen, ...takeAll(decoder)];
}

function takeAll(decoder: BodyDecoder): unknown[] {
  const seen: unknown[] = [];
  for (let event = decoder.next(); event !== undefined; event = decoder.next()) seen.push(event);
  return seen;
}

describe("createBodyDecoder: server-sent events", () => {
  const text = 'data: {"text":"Héllo 🌍"}\n\ndata: [DONE]\n\n';

  it("reads bytes split at any place, even inside a character", () => {
    const all = bytes(text);
    for (let at = 0; at <= all.length; at++) {
      expect(decode([all.subarray(0, at), all.subarray(at)])).toEqual([{ text: "Héllo 🌍" }, DONE]);
    }
  });

  it("reads text the same way as bytes", () => {
    expect(decode([text])).toHaveLength(2);
  });

  it("continues after bytes that are not UTF-8", () => {
    const damaged = new Uint8Array([...bytes('data: {"text":"a'), 0xff, 0xfe, ...bytes('b"}\n\n')]);
    expect(decode([damaged])).toEqual([{ text: "a\ufffd\ufffdb" }]);
  });

  it("skips data that is not an event", () => {
    expect(decode(['data: null\n\ndata: 7\n\ndata:\n\ndata: {"a":1}\n\n'])).toEqual([{ a: 1 }]);
  });

  it("returns the events before a damaged one, then throws", () => {
    const decoder = createBodyDecoder("sse");
    decoder.push('data: {"a":1}\n\ndata: {{{\n\n');
    expect(decoder.next()).toEqual({ a: 1 });
    expect(() => decoder.next()).toThrow(expect.objectContaining({ kind: "protocol" }));
  });

  it("returns the events before one that is too long, then throws", () => {
    const decoder = createBodyDecoder("sse", 100);
    decoder.push(`data: {"a":1}\n\ndata: ${"x".repeat(200)}`);
    expect(decoder.next()).toEqual({ a: 1 });
    expect(() => decoder.next()).toThrow("An event is longer than 100 characters");
    decoder.push("more");
    decoder.end();
    expect(() => decoder.next()).toThrow("An event is longer than 100 characters");
  });
});

describe("createBodyDecoder: unframed text", () => {
  const unframed = (pieces: readonly string[]): string => {
    const decoder = createBodyDecoder("sse");
    for (const piece of pieces) decoder.push(bytes(piece));
    decoder.end();
    return decoder.unframed;
  };

  it.each([
    ["LF", "\n"],
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ])("collects lines that are not fields, split at any place, with %s", (_, newline) => {
    const body = ['data: {"a":1}', "", "{", '  "error": "busy"', "}", ": ping", "", 'data: {"b":2}', ""].join(newline);
    for (let at = 0; at <= body.length; at++) {
      const pieces = [body.slice(0, at), body.slice(at)];
      expect(unframed(pieces)).toBe('{\n  "error": "busy"\n}\n');
      expect(decode(pieces)).toEqual([{ a: 1 }, { b: 2 }]);
    }
    expect(unframed([...body])).toBe('{\n  "error": "busy"\n}\n');
    expect(decode([...body])).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it("does not let an unframed line end the event around it", () => {
    const pieces = ['data: {"a":\n{"unfr', 'amed"\n', "data: 1}\n\n"];
    expect(decode(pieces)).toEqual([{ a: 1 }]);
    expect(unframed(pieces)).toBe('{"unframed"\n');
  });

  it("keeps a line that begins like a field and is cut there", () => {
    expect(unframed(["dat", "abase is down"])).toBe("database is down\n");
    expect(unframed(["event", "ually"])).toBe("eventually\n");
  });

  it("keeps a bounded part of the start of a page", () => {
    const page = unframed(["<html>", ...Array.from({ length: 100 }, () => "x".repeat(1000))]);
    expect(page.startsWith("<html>xxx")).toBe(true);
    expect(page.length).toBeLessThanOrEqual(64 * 1024 + 1);
    const lines = unframed(Array.from({ length: 100 }, () => `${"x".repeat(1000)}\n`));
    expect(lines.length).toBeLessThanOrEqual(64 * 1024 + 100);
  });

  it("reads a line that arrives byte by byte in linear time", () => {
    expect(unframed(Array.from({ length: 200_000 }, () => "x")).length).toBe(64 * 1024 + 1);
  });
});

describe("createBodyDecoder: messages", () => {
  it("reads each piece as one message", () => {
    expect(decode(['{"a":1}', "null", bytes('{"b":2}')], "json-messages")).toEqual([{ a: 1 }, { b: 2 }]);
    expect(() => decode(["{{{"], "json-messages")).toThrow(expect.objectContaining({ kind: "protocol" }));
  });

  it("rejects a message that is too long", () => {
    const decoder = createBodyDecoder("json-messages", 10);
    decoder.push('{"a":"0123456789"}');
    expect(() => decoder.next()).toThrow("An event is longer than 10 characters");
  });
});

describe("parseJsonEvent", () => {
  it("reads objects, and the end marker", () => {
    expect(parseJsonEvent('{"a":1}', undefined)).toEqual({ a: 1 });
    expect(parseJsonEvent("[DONE]", undefined)).toBe(DONE);
    expect(parseJsonEvent(" [DONE] ", "done")).toBe(DONE);
  });

  it.each(["", " ", "\n", "null", "7", '"text"', "[1]", "true"])("ignores %j, which is not an event", (data) => {
    expect(parseJsonEvent(data, undefined)).toBeUndefined();
  });

  it("wraps the data of an event named error in an error event", () => {
    expect(parseJsonEvent("it broke", "error")).toEqual({ type: "error", error: { message: "it broke" } });
    expect(parseJsonEvent('{"message":"it broke"}', "error")).toEqual({
      type: "error",
      error: { message: "it broke" },
    });
    expect(parseJsonEvent('{"type":"error","error":{}}', "error")).toEqual({ type: "error", error: {} });
    expect(parseJsonEvent('{"error":"x"}', "error")).toEqual({ error: "x" });
  });

  it("repairs common mistakes of servers in strings", () => {
    expect(parseJsonEvent('{"a":"line\nbreak"}', undefined)).toEqual({ a: "line\nbreak" });
    expect(parseJsonEvent('{"a":"C:\\dir"}', undefined)).toEqual({ a: "C:\\dir" });
  });

  it("throws for anything else, and quotes a bounded part", () => {
    expect(() => parseJsonEvent('{"a":', undefined)).toThrow(expect.objectContaining({ kind: "protocol" }));
    const parse = (): unknown => parseJsonEvent(`{${"x".repeat(1_000_000)}`, undefined);
    expect(parse).toThrow(/Could not parse an event of the response/);
    try {
      parse();
    } catch (error) {
      expect(String(error).length).toBeLessThan(1000);
    }
  });

  it("does not pollute prototypes", () => {
    const event = parseJsonEvent('{"__proto__":{"polluted":true}}', undefined);
    expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
    expect({}).not.toHaveProperty("polluted");
  });

  it("survives events nested a hundred thousand deep", () => {
    expect(parseJsonEvent(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, undefined)).toBeTypeOf("object");
    expect(() => parseJsonEvent(`{"a":${"[".repeat(100_000)}`, undefined)).toThrow(
      expect.objectContaining({ kind: "protocol" }),
    );
  });
});
