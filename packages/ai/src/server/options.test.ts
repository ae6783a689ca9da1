import { describe, expect, it } from "vitest";
import { resolveLimits } from "./options.js";

describe("resolveLimits", () => {
  it("fills in defaults", () => {
    expect(resolveLimits({ maxDepth: 5, maxTools: undefined as never })).toEqual({
      maxBodyBytes: 20 * 1024 * 1024,
      bodyTimeoutMs: 30_000,
      maxDepth: 5,
      maxMessages: 10_000,
      maxTools: 1000,
      maxServerTools: 0,
      stallTimeoutMs: 60_000,
      keepAliveMs: 5000,
    });
  });

  it.each(["bodyTimeoutMs", "stallTimeoutMs", "keepAliveMs", "timeoutMs"])("checks %s", (name) => {
    for (const ms of [0, 2 ** 31, Number.POSITIVE_INFINITY]) {
      expect(resolveLimits({ [name]: ms })).toMatchObject({ [name]: ms });
    }
    for (const ms of [-1, Number.NaN, Number.NEGATIVE_INFINITY]) {
      expect(() => resolveLimits({ [name]: ms })).toThrow(`limits.${name} must be a number of milliseconds`);
    }
  });

  it("treats an infinite maxTokens as no limit", () => {
    expect(resolveLimits({ maxTokens: Number.POSITIVE_INFINITY }).maxTokens).toBeUndefined();
  });
});
