import { expect, it } from "vitest";
import { shortHash } from "./hash.js";

it("is short, alphanumeric and deterministic", () => {
  expect(shortHash("")).toMatch(/^[0-9a-z]{14}$/);
  expect(shortHash("call_1|fc_1")).toBe(shortHash("call_1|fc_1"));
  // Stored conversations contain these ids: a changed hash function would separate tool calls from their results.
  expect([shortHash(""), shortHash("a"), shortHash("call_1")]).toMatchInlineSnapshot(`
    [
      "14q8pvy0b9nww3",
      "0td728j11zyjxs",
      "0v972ym1f0wpne",
    ]
  `);
});

it("differs for similar ids", () => {
  const hashes = new Set<string>();
  for (let i = 0; i < 100_000; i++) {
    hashes.add(shortHash(`call_${i}`));
    hashes.add(shortHash(`${i.toString(2)}`));
  }
  for (let length = 1; length < 1000; length++) hashes.add(shortHash("\u0000".repeat(length)));
  // "0" to "9" style overlaps do not exist between the families.
  expect(hashes.size).toBe(200_999);
});

it("distributes its first nine characters too", () => {
  const starts = new Set(Array.from({ length: 20_000 }, (_, i) => shortHash(`toolu_${i}`).slice(0, 9)));
  expect(starts.size).toBe(20_000);
});
