import { expect, it, vi } from "vitest";
import { lateCode, loadOnce } from "./late-code.js";

it("has the code once it is loaded, and loads it once", async () => {
  const code = { name: "code" };
  const load = vi.fn(async () => code);
  const late = lateCode(load);
  expect(() => late.get()).toThrow("A part of pi-ai is used before it is loaded");
  expect([load.mock.calls.length, late.isLoaded]).toEqual([0, false]);
  await late.load();
  expect([late.get(), late.isLoaded, late.load()]).toEqual([code, true, undefined]);
  expect(load).toHaveBeenCalledTimes(1);
});

it("takes the code from a caller that has it", () => {
  const load = vi.fn(async () => ({}));
  const late = lateCode(load);
  const code = {};
  late.use(code);
  expect(late.get()).toBe(code);
  expect(late.load()).toBeUndefined();
  expect(load).not.toHaveBeenCalled();
});

it("leaves no unhandled rejection, and tries again after a failure", async () => {
  const load = vi.fn<() => Promise<object>>().mockRejectedValueOnce(new Error("not there")).mockResolvedValue({});
  const late = lateCode(load);
  const loading = late.load();
  // Vitest reports what is unhandled after one turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  await expect(loading).rejects.toThrow("not there");
  await late.load();
  expect(late.isLoaded).toBe(true);
});

it("loads at the first call, and returns the value itself afterwards", async () => {
  const module = { name: "module" };
  const load = vi.fn(async () => module);
  const get = loadOnce(load);
  expect(load).not.toHaveBeenCalled();
  await expect(get()).resolves.toBe(module);
  expect(get()).toBe(module);
  expect(load).toHaveBeenCalledTimes(1);
});

it("tries again after a failure", async () => {
  const load = vi.fn<() => Promise<object>>().mockRejectedValueOnce(new Error("not there")).mockResolvedValue({});
  const get = loadOnce(load);
  await expect(get()).rejects.toThrow("not there");
  await expect(get()).resolves.toEqual({});
});
