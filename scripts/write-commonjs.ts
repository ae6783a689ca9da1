/**
 * Finishes a build: lets CommonJS programs `require` each entry of a package, with types of their own, and takes away
 * the declarations that no entry leads to.
 *
 * Node gives ES modules to `require`, so each entry needs one line of code, and both worlds share one registry. But
 * TypeScript wants to be told by a declaration file that belongs to CommonJS, all the way down.
 */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

const RELATIVE_MODULE = /(["'])(\.{1,2}\/[^"']+)\.js\1/g;

/** @param dist the folder of a build, one `.js` for each name in `entries` */
async function writeCommonJs(dist: string, entries: readonly string[]): Promise<void> {
  const reached = await reachedDeclarations(entries.map((entry) => join(dist, `${entry}.d.ts`)));
  for (const [file, text] of reached) {
    await writeFile(file.replace(/\.ts$/, ".cts"), text.replaceAll(RELATIVE_MODULE, "$1$2.cjs$1"));
  }
  const all = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith(".d.ts"));
  await Promise.all(all.filter((name) => !reached.has(join(dist, name))).map((name) => rm(join(dist, name))));
  for (const entry of entries) {
    await writeFile(join(dist, `${entry}.cjs`), `module.exports = require("./${entry}.js");\n`);
  }
}

/** The declaration files that these lead to, with their texts. */
async function reachedDeclarations(entries: readonly string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const open = [...entries];
  for (const file of open) {
    if (texts.has(file)) continue;
    const text = await readFile(file, "utf8");
    texts.set(file, text);
    for (const [, , path = ""] of text.matchAll(RELATIVE_MODULE)) open.push(join(dirname(file), `${path}.d.ts`));
  }
  return texts;
}

/** The entries that a manifest exports: `./dist/adapter.js` is `adapter`. */
async function entriesOf(packageFolder: string): Promise<string[]> {
  const { exports } = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"));
  return Object.values(exports as Record<string, unknown>).flatMap((target) => {
    const file = typeof target === "object" && target !== null && "default" in target ? String(target.default) : "";
    return file.endsWith(".js") ? [file.replace(/^\.\/dist\//, "").replace(/\.js$/, "")] : [];
  });
}

const [packageFolder = ".", dist = join(packageFolder, "dist")] = process.argv.slice(2);
await writeCommonJs(resolve(dist), await entriesOf(packageFolder));
