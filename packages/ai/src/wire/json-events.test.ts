import { describe, expect, it } from "vitest";
import { DONE, parseJsonEvent } from "./json-events.js";

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
