/** What the checks of folders and the build read of a source file. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listImports, passDoors, reachFrom } from "../scripts/imports.js";

let folder: string;
const path = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "imports-"));
  const files = {
    "index.ts": `export { one } from "./one.js";\nexport { type Two, two } from "./two.js";\n`,
    "one.ts": `export const one = 1;\n`,
    "two.ts": `import { three } from "./three.js";\nexport const two = three;\n`,
    "three.ts": `export const three = 3;\n`,
    "first.ts": `import { one } from "./index.js";\nexport const first = one;\n`,
    "later.ts": `export const later = () => import("./two.js");\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path(name), text);
});
afterAll(() => rm(folder, { recursive: true }));

it("tells imports that load a module from those of types and those that load it later", () => {
  const text = `import "./a.js";
import type { B } from "./b.js";
import {
  type C,
  type D,
} from "./c.js";
import { d, type E } from "./d.js";
export * from "./e.js";
const loading: typeof import("./f.js") = await import("./g.js");
const program = \`
import { h } from "./h.js";
\`;
`;
  expect(listImports(text).map(({ specifier, kind }) => [specifier, kind])).toEqual([
    ["./a.js", "static"],
    ["./b.js", "type"],
    ["./c.js", "type"],
    ["./d.js", "static"],
    ["./e.js", "static"],
    ["./f.js", "type"],
    ["./g.js", "dynamic"],
  ]);
});

it("reaches only what is named of a folder's index.ts, and nothing that is loaded later", () => {
  expect([...reachFrom([path("first.ts")])]).toEqual([path("first.ts"), path("one.ts")]);
  expect([...reachFrom([path("later.ts")])]).toEqual([path("later.ts")]);
  expect(reachFrom([path("index.ts")]).size).toBe(4);
});

it("takes what a folder's index.ts names from the files that hold it, on the same lines", () => {
  const text = `import {\n  one,\n  type Two,\n  two,\n} from "./index.js";\nconst next = one;\n`;
  expect(passDoors(text, path("user.ts"))).toBe(
    `import { one } from "./one.js"; import { two } from "./two.js";\n\n\n\n\nconst next = one;\n`,
  );
});
