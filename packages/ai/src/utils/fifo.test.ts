import { describe, expect, test } from "vitest";
import { createRandom } from "../../../../test/support/random.js";
import { Fifo } from "./fifo.js";

describe("a queue", () => {
  test("gives back what a list with `shift` would, in any order of operations", () => {
    const random = createRandom(7);
    const queue = new Fifo<number>();
    let list: number[] = [];
    for (let step = 0; step < 2000; step++) {
      const what = random.pick(["push", "push", "take", "take", "take", "push", "clear"] as const);
      if (what === "push") {
        queue.push(step);
        list.push(step);
      } else if (what === "take") expect(queue.take()).toBe(list.shift());
      else if (random.chance(0.05)) {
        queue.clear();
        list = [];
      }
      expect([queue.length, queue.last]).toEqual([list.length, list.at(-1)]);
    }
  });
});
