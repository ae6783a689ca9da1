/** What edge runtimes lack stays behind the files that replace it. */
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const PACKAGES = resolve(import.meta.dirname, "../packages");

/** The files that may, by what they contain. Entries that need Node anyway are among them. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  // Next's edge runtime has no such function (2026-11).
  "AbortSignal\\.any\\(": ["ai/src/utils/any-signal.ts"],
  // In Next's edge runtime a call throws, also after `?.`.
  getBuiltinModule: ["ai/src/utils/node/builtins.ts", "agent/src/stores/session/sqlite.ts"],
  // Neither bundlers nor file tracers follow it.
  createRequire: [],
};

it.each(Object.entries(ALLOWED))("only the files that stand for it contain %s", async (text, allowed) => {
  const names = await Promise.all(["ai", "agent"].map((name) => listSources(`${name}/src`)));
  const found: string[] = [];
  for (const name of names.flat())
    if (new RegExp(text).test(await readFile(join(PACKAGES, name), "utf8"))) found.push(name);
  expect(found.sort()).toEqual([...allowed].sort());
});

async function listSources(folder: string): Promise<string[]> {
  const names = await readdir(join(PACKAGES, folder), { recursive: true });
  return names
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`);
}
