import { describe, expect, it } from "vitest";
import {
  AbortedError,
  ConfigError,
  NetworkError,
  ProtocolError,
  ProviderError,
  type ProviderErrorKind,
} from "../errors.js";
import { retryDelay } from "./retry.js";

const policy = { maxRetries: 2, maxRetryDelayMs: 60_000 };
const never = (): number => 0;

function refused(kind: ProviderErrorKind, retryAfterMs?: number): ProviderError {
  return new ProviderError({ kind, message: "429 slow down", status: 429, requestId: "r1", retryAfterMs });
}

describe("retryDelay", () => {
  it.each([
    [1, 500],
    [2, 1000],
    [3, 2000],
    [5, 8000],
    [9, 8000],
  ])("backs off: after attempt %d it waits %d ms", (attempt, expected) => {
    expect(retryDelay(refused("server"), attempt, { ...policy, maxRetries: 10 }, never)).toBe(expected);
  });

  it("reduces the delay by up to a quarter at random", () => {
    expect(retryDelay(refused("server"), 1, policy, () => 1)).toBe(375);
    expect(retryDelay(refused("server"), 1, policy, () => 0.5)).toBe(437.5);
  });

  it("never exceeds maxRetries", () => {
    expect(retryDelay(refused("server"), 2, policy, never)).toBe(1000);
    expect(retryDelay(refused("server"), 3, policy, never)).toBeUndefined();
    expect(retryDelay(refused("server"), 1, { ...policy, maxRetries: 0 }, never)).toBeUndefined();
  });

  it.each([
    ["rate_limit", true],
    ["overloaded", true],
    ["server", true],
    ["auth", false],
    ["permission", false],
    ["not_found", false],
    ["invalid_request", false],
    ["context_overflow", false],
    ["content_filter", false],
  ] as const)("sends again after %s: %s", (kind, expected) => {
    expect(retryDelay(refused(kind), 1, policy, never) !== undefined).toBe(expected);
  });

  it("retries after a broken connection or a cut-off response, not after other failures", () => {
    expect(retryDelay(new NetworkError("reset"), 1, policy, never)).toBe(500);
    expect(retryDelay(new ProtocolError("cut off"), 1, policy, never)).toBe(500);
    expect(retryDelay(new ProtocolError("a page", { retryable: false }), 1, policy, never)).toBeUndefined();
    for (const error of [new AbortedError(), new ConfigError("no key"), new Error("a bug"), "text", null, undefined])
      expect(retryDelay(error, 1, policy, never)).toBeUndefined();
  });

  it("waits as long as the server requests, even if that is 0 ms", () => {
    expect(retryDelay(refused("rate_limit", 1500), 1, policy, never)).toBe(1500);
    expect(retryDelay(refused("rate_limit", 0), 1, policy, never)).toBe(0);
    expect(retryDelay(refused("rate_limit", 60_000), 1, policy, never)).toBe(60_000);
  });

  it("throws an error with both times if the server requests more than allowed", () => {
    const wait = (): unknown => retryDelay(refused("rate_limit", 3_600_000), 1, policy, never);
    expect(wait).toThrow("429 slow down (the server asks to wait 3600000 ms, longer than maxRetryDelayMs 60000)");
    expect(wait).toThrow(
      expect.objectContaining({
        kind: "rate_limit",
        status: 429,
        requestId: "r1",
        retryAfterMs: 3_600_000,
        retryable: false,
      }),
    );
  });

  it("allows any requested wait if maxRetryDelayMs is 0", () => {
    expect(retryDelay(refused("rate_limit", 3_600_000), 1, { ...policy, maxRetryDelayMs: 0 }, never)).toBe(3_600_000);
  });

  it("ignores the requested wait if no retry is left", () => {
    expect(retryDelay(refused("rate_limit", 3_600_000), 3, policy, never)).toBeUndefined();
  });
});
