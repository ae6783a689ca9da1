import { describe, expect, it } from "vitest";
import { DONE, parseJsonEvent } from "./json-events.js";

describe("parseJsonEvent", () => {
  it("reads objects, and the end marker", () => {
    expect(parseJsonEvent('{"a":1}', undefined)).toEqual({ a: 1 });
    expect(parseJsonEvent("[DONE]", undefined)).toBe(DONE);
    expect(parseJsonEvent(" [DONE] ", "done")).toBe(DONE);
  });

  it.each(["", " ", "\n", "null", "7", '"text"', "[1]", "true"])("takes %j for no event", (data) => {
    expect(parseJsonEvent(data, undefined)).toBeUndefined();
  });

  it("gives an event named error the shape of one", () => {
    expect(parseJsonEvent("it broke", "error")).toEqual({ type: "error", error: { message: "it broke" } });
    expect(parseJsonEvent('{"message":"it broke"}', "error")).toEqual({
      type: "error",
      error: { message: "it broke" },
    });
    expect(parseJsonEvent('{"type":"error","error":{}}', "error")).toEqual({ type: "error", error: {} });
    expect(parseJsonEvent('{"error":"x"}', "error")).toEqual({ error: "x" });
  });

  it("mends what servers get wrong in strings", () => {
    expect(parseJsonEvent('{"a":"line\nbreak"}', undefined)).toEqual({ a: "line\nbreak" });
    expect(parseJsonEvent('{"a":"C:\\dir"}', undefined)).toEqual({ a: "C:\\dir" });
  });

  it("throws for anything else, with a bounded quote", () => {
    expect(() => parseJsonEvent('{"a":', undefined)).toThrow(expect.objectContaining({ kind: "protocol" }));
    const parse = (): unknown => parseJsonEvent(`{${"x".repeat(1_000_000)}`, undefined);
    expect(parse).toThrow(/Could not parse an event of the answer/);
    try {
      parse();
    } catch (error) {
      expect(String(error).length).toBeLessThan(1000);
    }
  });

  it("pollutes nothing", () => {
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
