import { describe, expect, it } from "vitest";
import { createSdkLoader } from "./load-sdk.js";

describe("createSdkLoader", () => {
  it("returns the module", async () => {
    expect(await createSdkLoader("some-sdk", async () => ({ Client: 1 }))()).toEqual({ Client: 1 });
  });

  it.each([new Error("Cannot find package 'some-sdk'"), "a text"])(
    "names the package that cannot be loaded: %s",
    async (cause) => {
      const loading = createSdkLoader("some-sdk", () => Promise.reject(cause))();
      await expect(loading).rejects.toMatchObject({
        kind: "config",
        retryable: false,
        message: expect.stringMatching(
          /^pi-ai could not load its copy of the package some-sdk \(.+\)\. It is a part of pi-ai: deploy the whole package/,
        ),
        cause,
      });
    },
  );

  it("tries again after a failure", async () => {
    let tries = 0;
    const load = createSdkLoader("some-sdk", async () => {
      if (++tries === 1) throw new Error("not yet");
      return { Client: 1 };
    });
    await expect(load()).rejects.toThrow("not yet");
    expect(await load()).toEqual({ Client: 1 });
    expect(await load()).toEqual({ Client: 1 });
    expect(tries).toBe(2);
  });
});
