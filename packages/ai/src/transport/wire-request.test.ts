import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ChunkReader } from "./wire-request.js";
import { releaseBody, toWireResponse } from "./wire-response.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("toWireResponse", () => {
  it("keeps status, headers and body, with an empty body if there is none", async () => {
    const response = toWireResponse(new Response("text", { status: 201, headers: { "X-One": "1" } }), "sse");
    expect(response).toMatchObject({ status: 201, framing: "sse", headers: { "x-one": "1" } });
    expect(new TextDecoder().decode((await response.body.read()).value as Uint8Array)).toBe("text");
    const { body } = toWireResponse(new Response(null, { status: 204 }), "sse");
    expect(await body.read()).toEqual({ done: true });
    await body.cancel();
  });
});

describe("releaseBody", () => {
  it("reads a body that ends soon, so that its connection can be reused", async () => {
    const cancel = vi.fn(async () => {});
    const chunks = [{ done: false, value: "x" }, { done: true }];
    await releaseBody({ read: async () => chunks.shift() ?? { done: true }, cancel });
    expect(cancel).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("cancels a body that stays open, after a short wait", async () => {
    const body: ChunkReader = {
      read: () => new Promise((resolve) => (open = () => resolve({ done: true }))),
      cancel: vi.fn(async () => open()),
    };
    let open = (): void => {};
    const released = releaseBody(body);
    await vi.advanceTimersByTimeAsync(99);
    expect(body.cancel).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await released;
    expect(body.cancel).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("cancels a body that never ends", async () => {
    let reads = 0;
    const cancel = vi.fn(async () => {});
    const value = new Uint8Array(4096);
    await releaseBody({ read: async () => ({ done: ++reads > 10_000, value }), cancel });
    expect(reads).toBeLessThan(100);
    expect(cancel).toHaveBeenCalled();
  });

  it("ignores a broken connection", async () => {
    await releaseBody({
      read: () => Promise.reject(new Error("reset")),
      cancel: () => Promise.reject(new Error("gone")),
    });
    expect(vi.getTimerCount()).toBe(0);
  });
});
