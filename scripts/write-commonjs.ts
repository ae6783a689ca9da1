/**
 * Finishes a build: makes each entry of a package available to `require`, with its own types, removes declarations that
 * no entry uses, and makes the source maps lead to the package's `src`.
 *
 * Node's `require` can load ES modules, so each entry needs one line of code, and both module systems share one
 * registry. TypeScript, however, needs CommonJS declaration files for every file.
 */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { relocateMaps } from "./source-maps.ts";

const RELATIVE_MODULE = /(["'])(\.{1,2}\/[^"']+)\.js\1/g;

interface Entry {
  /** The path of the ES module, relative to the folder of the build, without the extension. */
  code: string;
  /** The same for its declarations. */
  types: string;
}

/** @param dist the folder of a build */
async function writeCommonJs(dist: string, entries: readonly Entry[]): Promise<void> {
  const reached = await reachedDeclarations(entries.map(({ types }) => join(dist, `${types}.d.ts`)));
  for (const [file, text] of reached) {
    await writeFile(file.replace(/\.ts$/, ".cts"), text.replaceAll(RELATIVE_MODULE, "$1$2.cjs$1"));
  }
  const all = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith(".d.ts"));
  const unreached = all.filter((name) => !reached.has(join(dist, name)));
  await Promise.all(unreached.flatMap((name) => [rm(join(dist, name)), rm(join(dist, `${name}.map`))]));
  for (const { code } of entries) {
    await writeFile(join(dist, `${code}.cjs`), `module.exports = require("./${basename(code)}.js");\n`);
  }
}

/** The declaration files that these import, with their texts. */
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

/** The entries that a manifest exports, with the paths reduced to those in the build. */
async function entriesOf(packageFolder: string): Promise<Entry[]> {
  const { exports } = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"));
  return Object.values(exports as Record<string, unknown>).flatMap((target) => {
    if (typeof target !== "object" || target === null || !("default" in target) || !("types" in target)) return [];
    return [{ code: pathInBuild(target.default), types: pathInBuild(target.types) }];
  });
}

function pathInBuild(target: unknown): string {
  return String(target)
    .replace(/^\.\/dist\//, "")
    .replace(/(\.d)?\.[cm]?[jt]s$/, "");
}

const [packageFolder = ".", dist = join(packageFolder, "dist")] = process.argv.slice(2);
await writeCommonJs(resolve(dist), await entriesOf(packageFolder));
await relocateMaps(resolve(dist), resolve(packageFolder));
