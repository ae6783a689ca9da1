import { expect, it } from "vitest";
import { Run, type RunPart } from "./run.js";
import { PartCache } from "./run-store.js";

const part = (): RunPart => ({ run: new Run({ id: "1", title: "", source: "log", model: "m" }), from: 0 });
const KEYS = ["a", "b", "c"].map((name) => ({ name }));

it("keeps the parts that were used most recently, within its limit", async () => {
  const cache = new PartCache(250);
  const loaded: string[] = [];
  const get = (index: number): Promise<RunPart> | undefined => {
    const key = KEYS[index];
    const load = async (): Promise<{ part: RunPart; size: number }> => {
      loaded.push(key?.name ?? "");
      return { part: part(), size: 100 };
    };
    return key && cache.get(key, load);
  };
  const first = await get(0);
  await get(1);
  expect(await get(0)).toBe(first);
  await get(2);
  expect(cache.total).toBe(200);
  expect(await get(0)).toBe(first);
  await get(1);
  expect(loaded).toEqual(["a", "b", "c", "b"]);
});

it("loads a part once for concurrent calls, and again after a failure", async () => {
  const cache = new PartCache();
  const [key = {}] = KEYS;
  let loads = 0;
  const load = async (): Promise<{ part: RunPart; size: number }> => {
    if (++loads === 1) throw new Error("away");
    return { part: part(), size: 1 };
  };
  const both = [cache.get(key, load), cache.get(key, load)];
  for (const one of both) await expect(one).rejects.toThrow("away");
  expect(cache.total).toBe(0);
  await cache.get(key, load);
  expect(loads).toBe(2);
});

it("does not keep a part that is larger than its limit", async () => {
  const cache = new PartCache(10);
  const [key = {}] = KEYS;
  await cache.get(key, async () => ({ part: part(), size: 100 }));
  expect(cache.total).toBe(0);
});

it("counts a part once that was evicted and requested again while its first load was running", async () => {
  const cache = new PartCache(100);
  const [slow = {}, large = {}] = KEYS;
  type Loaded = { part: RunPart; size: number };
  const loads = [Promise.withResolvers<Loaded>(), Promise.withResolvers<Loaded>()] as const;
  const first = cache.get(slow, () => loads[0].promise);
  await cache.get(large, async () => ({ part: part(), size: 150 }));
  const second = cache.get(slow, () => loads[1].promise);
  for (const { resolve } of loads) resolve({ part: part(), size: 50 });
  await Promise.all([first, second]);
  expect(cache.total).toBe(50);
});
