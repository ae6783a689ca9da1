import { describe, expect, it } from "vitest";
import { parseRetryAfter } from "./retry-after.js";

const NOW = Date.parse("2026-11-21T10:00:00Z");

function parse(headers: Record<string, string>): number | undefined {
  return parseRetryAfter(new Headers(headers), NOW);
}

describe("parseRetryAfter", () => {
  it.each([
    [{ "retry-after-ms": "1500" }, 1500],
    [{ "retry-after-ms": "12.5", "retry-after": "9" }, 12.5],
    [{ "retry-after": "1" }, 1000],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "Sat, 21 Nov 2026 10:00:30 GMT" }, 30_000],
    [{ "retry-after": "Sat, 21 Nov 2026 09:00:00 GMT" }, 0],
    [{ "retry-after-ms": "soon", "retry-after": "2" }, 2000],
  ])("reads %j as %d ms", (headers, expected) => {
    expect(parse(headers)).toBe(expected);
  });

  it.each(["", "soon", "-5", "1e3", "0x10", "Infinity", "NaN", "9".repeat(400), "1, 2"])("ignores %j", (value) => {
    expect(parse({ "retry-after": value })).toBeUndefined();
    expect(parse({ "retry-after-ms": value })).toBeUndefined();
  });

  it("returns undefined without headers", () => {
    expect(parse({})).toBeUndefined();
  });
});
