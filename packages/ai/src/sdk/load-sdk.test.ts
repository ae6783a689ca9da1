import { describe, expect, it } from "vitest";
import { loadSdk } from "./load-sdk.js";

describe("loadSdk", () => {
  it("hands out the module", async () => {
    expect(await loadSdk("some-sdk", async () => ({ Client: 1 }))).toEqual({ Client: 1 });
  });

  it.each([new Error("Cannot find package 'some-sdk'"), "a text"])(
    "names the package that cannot be loaded: %s",
    async (cause) => {
      const loading = loadSdk("some-sdk", () => Promise.reject(cause));
      await expect(loading).rejects.toMatchObject({
        kind: "config",
        retryable: false,
        message: expect.stringMatching(/^The package some-sdk could not be loaded \(.+\)\. Install it/),
        cause,
      });
    },
  );

  it("tries again at the next call", async () => {
    let tries = 0;
    const load = async (): Promise<string> => {
      if (++tries === 1) throw new Error("not yet");
      return "module";
    };
    await expect(loadSdk("some-sdk", load)).rejects.toThrow("not yet");
    expect(await loadSdk("some-sdk", load)).toBe("module");
  });
});
