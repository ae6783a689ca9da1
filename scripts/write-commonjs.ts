/**
 * Finishes a build: adds a CommonJS copy of each module and each declaration file, removes declarations that no entry
 * uses, and makes the source maps lead to the package's `src`.
 *
 * Node's own `require` could load the ES modules, but that of Jest cannot. What exists once in a process is shared
 * between the copies by `process-state.ts`.
 */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { transform } from "esbuild";
import { relocateMaps } from "./source-maps.ts";

const RELATIVE_MODULE = /(["'])(\.{1,2}\/[^"']+)\.js\1/g;

const REQUIRED_MODULE = /(\brequire\(["'])(\.{1,2}\/[^"']+)\.js(["']\))/g;

const SOURCE_MAP = /\/\/# sourceMappingURL=.*\s*$/;

/** What is loaded as it is: programs, the pages of browsers, and what is written for both. */
const NOT_COPIED = /^(?:cli\.js$|page\/|node\/)/;

/** The folders of a package and of its build. */
interface Build {
  source: string;
  dist: string;
}

/** Writes the modules that `imports` in package.json names for modules of Node.js, which cannot be its targets. */
async function writeBuiltins(dist: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const file = join(dist, "node", name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(`${file}.js`, `export * from "node:${name}";\n`);
    await writeFile(`${file}.cjs`, `module.exports = require("node:${name}");\n`);
  }
}

/** Writes the CommonJS copy of each module. */
async function writeModules(dist: string): Promise<void> {
  const names = (await readdir(dist, { recursive: true })).map((name) => name.replaceAll("\\", "/"));
  const modules = names.filter((name) => name.endsWith(".js") && !NOT_COPIED.test(name));
  await Promise.all(modules.map((name) => writeModule(join(dist, name))));
}

async function writeModule(file: string): Promise<void> {
  const copy = file.replace(/\.js$/, ".cjs");
  const text = (await readFile(file, "utf8")).replace(SOURCE_MAP, "");
  const usesUrl = text.includes("import.meta.url");
  const { code } = await transform(text, {
    format: "cjs",
    platform: "node",
    target: "es2023",
    // Jest cannot import, only require.
    supported: { "dynamic-import": false },
    banner: `"use strict";${usesUrl ? IMPORT_META_URL : ""}`,
    ...(usesUrl && { define: { "import.meta.url": "importMetaUrl" } }),
    // Only code of others has no map. The copy of ours keeps its lines instead of one.
    minify: !existsSync(`${file}.map`),
  });
  await writeFile(copy, code.replaceAll(REQUIRED_MODULE, "$1$2.cjs$3"));
}

const IMPORT_META_URL = `const importMetaUrl = require("node:url").pathToFileURL(__filename).href;`;

/**
 * Removes the declarations that no entry uses, and copies the others for CommonJS.
 *
 * @param entries paths of declaration files, relative to the folder of the build
 */
async function writeDeclarations(dist: string, entries: readonly string[]): Promise<void> {
  const reached = await reachedDeclarations(entries.map((name) => join(dist, name)));
  for (const [file, text] of reached) {
    await writeFile(file.replace(/\.ts$/, ".cts"), text.replaceAll(RELATIVE_MODULE, "$1$2.cjs$1"));
  }
  const all = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith(".d.ts"));
  const unreached = all.filter((name) => !reached.has(join(dist, name)));
  await Promise.all(unreached.flatMap((name) => [rm(join(dist, name)), rm(join(dist, `${name}.map`))]));
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

/** The parts of a manifest that decide what is built. */
interface Manifest {
  exports: Record<string, unknown>;
}

/** The declaration files of the entries that a manifest exports. */
function declarationsOf({ exports }: Manifest): string[] {
  return Object.values(exports).flatMap((target) =>
    typeof target === "object" && target !== null && "types" in target
      ? [String(target.types).replace("./dist/", "")]
      : [],
  );
}

/** The modules of Node.js that a build imports by the name `#node/*`. */
async function builtinsOf(dist: string): Promise<string[]> {
  const files = (await readdir(dist)).filter((name) => name.endsWith(".js"));
  const texts = await Promise.all(files.map((name) => readFile(join(dist, name), "utf8")));
  const found = texts.flatMap((text) =>
    Array.from(text.matchAll(/\(["']#node\/([\w/]+)["']\)/g), ([, name = ""]) => name),
  );
  return [...new Set(found)];
}

async function finish({ source, dist }: Build): Promise<void> {
  const manifest: Manifest = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
  await writeBuiltins(dist, await builtinsOf(dist));
  await writeModules(dist);
  await writeDeclarations(dist, declarationsOf(manifest));
  await relocateMaps(dist, source);
}

const [packageFolder = ".", dist = join(packageFolder, "dist")] = process.argv.slice(2);
await finish({ source: resolve(packageFolder), dist: resolve(dist) });
