import { describe, expect, it } from "vitest";
import { resolveLimits } from "./limits.js";

describe("resolveLimits", () => {
  it("has defaults for all that is not given", () => {
    expect(resolveLimits({ maxDepth: 5, maxTools: undefined as never })).toEqual({
      maxBodyBytes: 20 * 1024 * 1024,
      bodyTimeoutMs: 30_000,
      maxDepth: 5,
      maxMessages: 10_000,
      maxTools: 1000,
      stallTimeoutMs: 60_000,
      keepAliveMs: 5000,
    });
  });

  it.each(["bodyTimeoutMs", "stallTimeoutMs", "keepAliveMs", "timeoutMs"])(
    "keeps %s within what a timer can hold",
    (name) => {
      for (const ms of [Number.POSITIVE_INFINITY, 2 ** 31, 1e300]) {
        expect(resolveLimits({ [name]: ms })).toMatchObject({ [name]: 2 ** 31 - 1 });
      }
      expect(resolveLimits({ [name]: 0 })).toMatchObject({ [name]: 0 });
      for (const ms of [-1, Number.NaN, Number.NEGATIVE_INFINITY]) {
        expect(() => resolveLimits({ [name]: ms })).toThrow(`limits.${name} must be 0 or more milliseconds, got ${ms}`);
      }
    },
  );

  it("takes an infinite maxTokens for none", () => {
    expect(resolveLimits({ maxTokens: Number.POSITIVE_INFINITY }).maxTokens).toBeUndefined();
  });
});
