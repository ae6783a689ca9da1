/** docs/security.md names the tests that show what it promises. */
import { globSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const PAGE = readFileSync(join(ROOT, "docs/security.md"), "utf8");

it("names tests that exist", () => {
  const files = ["test/**/*.test.ts", "packages/*/{src,test}/**/*.test.ts"].flatMap((pattern) =>
    globSync(pattern, { cwd: ROOT }),
  );
  const known = new Set(files.map((file) => basename(file)));
  const named = [...PAGE.matchAll(/`([\w.-]+\.test\.ts)`/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

it("says for each part which tests show it", () => {
  const parts = PAGE.split(/^## /m).slice(1);
  expect(parts.filter((part) => !/^Shown by `/m.test(part)).map((part) => part.split("\n", 1)[0])).toEqual([]);
});
