import { expect, it, vi } from "vitest";
import { loadOnce } from "./load-once.js";

it("loads once, at the first call", async () => {
  const module = { name: "module" };
  const load = vi.fn(async () => module);
  const get = loadOnce(load);
  expect(load).not.toHaveBeenCalled();
  await expect(get()).resolves.toBe(module);
  await expect(get()).resolves.toBe(module);
  expect(load).toHaveBeenCalledTimes(1);
});

it("tries again after a failure", async () => {
  const load = vi.fn<() => Promise<object>>().mockRejectedValueOnce(new Error("not there")).mockResolvedValue({});
  const get = loadOnce(load);
  await expect(get()).rejects.toThrow("not there");
  await expect(get()).resolves.toEqual({});
});
