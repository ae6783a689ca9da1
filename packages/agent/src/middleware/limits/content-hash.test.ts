import { expect, test } from "vitest";
import { createRandom } from "../../../../../test/support/random.js";
import { addHashes, ContentHash } from "./content-hash.js";

const hashOf = (value: unknown): number => new ContentHash().addJson(value).take();

test("equal values have the same hash, whatever the order of their fields", () => {
  expect(hashOf({ path: "a", options: { depth: 1, all: true } })).toBe(
    hashOf({ options: { all: true, depth: 1 }, path: "a" }),
  );
  const hash = new ContentHash();
  expect(
    hash
      .addText("a")
      .addNumber(2 ** 40)
      .take(),
  ).toBe(
    hash
      .addText("a")
      .addNumber(2 ** 40)
      .take(),
  );
});

test("different values have different hashes", () => {
  const values = [
    ...[1, "1", true, "true", null, "null", undefined, "", 0, -0.5, 1e21, 2 ** 33, 2 ** 33 + 1],
    ...[
      [],
      {},
      [[]],
      [{}],
      { "": "" },
      [""],
      ["", ""],
      [1, 2],
      [2, 1],
      [[1], 2],
      [[1, 2]],
      [1, [2]],
      ["12"],
      ["1", "2"],
    ],
    ...[{ a: 1 }, { a: "1" }, { a: [1] }, { a: 1, b: 1 }, { b: 1 }, { ab: 1 }, { a: { b: 1 } }, { a: {}, b: 1 }],
    ...["a", "b", "ab", "ba", "\u0000", "\u0000\u0000", "ä", "a\u0308", "x".repeat(5000), `${"x".repeat(4999)}y`],
  ];
  expect(new Set(values.map(hashOf)).size).toBe(values.length);
});

test("100,000 similar texts have different hashes, each below 2^52", () => {
  const hashes = new Set<number>();
  const random = createRandom(1);
  const texts = new Set<string>();
  while (texts.size < 100_000) texts.add(`src/${random.below(50)}/file-${random.below(1e9)}.ts`);
  for (const text of texts) hashes.add(hashOf(text));
  expect(hashes.size).toBe(texts.size);
  expect([...hashes].every((hash) => Number.isSafeInteger(hash) && hash >= 0 && hash < 2 ** 52)).toBe(true);
});

test("a sum of hashes does not depend on their order", () => {
  const hashes = ["a", "b", "c", "d"].map(hashOf);
  const sum = hashes.reduce(addHashes);
  expect(hashes.toReversed().reduce(addHashes)).toBe(sum);
  expect(sum).toBeLessThan(2 ** 52);
});

test("a value that is too deep or cyclic differs from every other one", () => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  for (const value of [deep, cyclic]) {
    const hash = new ContentHash();
    expect(hash.addJson(value).take()).not.toBe(hash.addJson(value).take());
  }
});
