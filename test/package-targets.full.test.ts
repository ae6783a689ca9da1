/** The check of installed packages finds every kind of target that a program cannot load. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findBrokenTargets } from "./installed/package-targets.js";

let project: string;
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), "targets-"));
});
afterEach(() => rm(project, { recursive: true, force: true }));

const FILES = {
  "dist/index.js": "export const a = 1;",
  "dist/index.cjs": "exports.a = 1;",
  "dist/index.d.ts": "export declare const a: number;",
  "dist/index.d.cts": "export declare const a: number;",
  "dist/node/zlib.js": 'export * from "node:zlib";',
  "dist/browser.js": "export const a = document.title;",
};
const ENTRY = {
  require: { types: "./dist/index.d.cts", default: "./dist/index.cjs" },
  types: "./dist/index.d.ts",
  default: "./dist/index.js",
};
const FOR_NODE = { browser: "./dist/browser.js", node: "./dist/node/*.js", default: "./dist/browser.js" };

async function check(manifest: object, files: Record<string, string> = {}): Promise<string[]> {
  const folder = join(project, "node_modules/some");
  const text = JSON.stringify({ name: "some", type: "module", ...manifest });
  for (const [name, content] of Object.entries({ "package.json": text, ...FILES, ...files })) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return findBrokenTargets(project, "some");
}

it("accepts what loads, and what only a browser loads", async () => {
  const manifest = {
    exports: { ".": ENTRY, "./package.json": "./package.json" },
    imports: { "#node/*": FOR_NODE },
  };
  expect(await check(manifest)).toEqual([]);
});

it.each<[string, object, Record<string, string>, RegExp]>([
  [
    "a URL in imports",
    { exports: { ".": ENTRY }, imports: { "#node/zlib": "node:zlib" } },
    {},
    /ERR_INVALID_PACKAGE_T/,
  ],
  ["a missing file", { exports: { ".": { ...ENTRY, browser: "./dist/none.js" } } }, {}, /none\.js: does not exist/],
  ["a file that does not parse", { exports: { ".": ENTRY } }, { "dist/index.js": "export {" }, /does not parse/],
  ["one that throws", { exports: { ".": ENTRY } }, { "dist/index.cjs": "throw new Error('no')" }, /require some: +no/],
  ["an import that is not there", { exports: { ".": ENTRY } }, { "dist/index.js": 'import "none";' }, /ERR_MODULE_NOT/],
  [
    "types of the other kind",
    { exports: { ".": { ...ENTRY, require: { types: "./dist/index.d.ts", default: "./dist/index.cjs" } } } },
    {},
    /does not end with \.d\.cts/,
  ],
  [
    "a file of a pattern",
    { exports: { ".": ENTRY }, imports: { "#node/*": FOR_NODE } },
    { "dist/node/x.js": "{" },
    /x\.js/,
  ],
  ["a package without exports", {}, {}, /has no exports/],
])("finds %s", async (_, manifest, files, problem) => {
  expect((await check(manifest, files)).join("\n")).toMatch(problem);
});
