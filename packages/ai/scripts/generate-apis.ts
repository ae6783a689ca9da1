/**
 * Generates everything that follows from the rows of the built-in apis: names, loaders, functions, package entries and
 * exports, and the table of the README.
 *
 *   --check  write nothing, and fail if a file is out of date
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  GENERATED,
  generateEntry,
  generateKnownApi,
  generateLoaders,
  generateNamedStreams,
  generateOptions,
  generateRootExport,
  generateTable,
} from "./api-modules.ts";
import { type ApiRow, readApiRows } from "./api-rows.ts";

const ENTRIES = "src/entries";
const ROOT_EXPORT = /export \{[^}]*\} from "\.\/providers\/named-streams\.generated\.js";/;
const TABLE = /(<!-- apis: [^>]*-->\n\n)[\s\S]*?(\n\n<!-- end of apis -->)/;

/** Updates the files. Returns the paths of the changed ones, relative to the package. */
export function generateApis(packageFolder: string, { dryRun = false }: { dryRun?: boolean } = {}): string[] {
  const files = generateFiles(packageFolder, readApiRows(packageFolder));
  const changed = [...files].filter(([name, text]) => readIfPresent(join(packageFolder, name)) !== text);
  if (!dryRun) {
    for (const [name, text] of changed) {
      if (text === undefined) rmSync(join(packageFolder, name));
      else writeFileSync(join(packageFolder, name), text);
    }
  }
  return changed.map(([name]) => name);
}

/** The text of each file by its path; undefined for an entry whose row was removed. */
function generateFiles(packageFolder: string, rows: readonly ApiRow[]): Map<string, string | undefined> {
  const read = (name: string): string => readFileSync(join(packageFolder, name), "utf8");
  const entries = new Map(rows.map((row) => [`${ENTRIES}/${row.entry}.ts`, generateEntry(row)]));
  const present = readdirSync(join(packageFolder, ENTRIES)).map((name) => `${ENTRIES}/${name}`);
  const stale = present.filter((name) => !entries.has(name) && read(name).includes(GENERATED));
  const names = [...new Set([...present, ...entries.keys()])].filter((name) => !stale.includes(name));
  return new Map<string, string | undefined>([
    ["src/types/known-api.generated.ts", generateKnownApi(rows)],
    ["src/providers/built-in-apis.generated.ts", generateLoaders(rows)],
    ["src/providers/named-streams.generated.ts", generateNamedStreams(rows)],
    ["src/providers/options-by-api.generated.ts", generateOptions(rows)],
    ["src/index.ts", replacePart(read("src/index.ts"), ROOT_EXPORT, () => generateRootExport(rows))],
    ["README.md", replacePart(read("README.md"), TABLE, (_, head, tail) => `${head}${generateTable(rows)}${tail}`)],
    ["package.json", withExports(read("package.json"), names)],
    ...entries,
    ...stale.map((name) => [name, undefined] as const),
  ]);
}

function replacePart(text: string, part: RegExp, replace: (...groups: string[]) => string): string {
  if (!part.test(text)) throw new Error(`The text has no part that matches ${part}`);
  return text.replace(part, replace);
}

/** The manifest with exports for the root, for each file of `src/entries`, and for itself. */
function withExports(manifest: string, entries: readonly string[]): string {
  const names = entries.map((name) => basename(name, ".ts")).sort();
  const exported = Object.fromEntries(names.map((name) => [`./${name}`, exportOf(name, `entries/${name}`)]));
  const exports = { ".": exportOf("index", "index"), ...exported, "./package.json": "./package.json" };
  // For TypeScript's old resolution, which does not read `exports`.
  const typesVersions = { "*": Object.fromEntries(names.map((name) => [name, [`./dist/entries/${name}.d.ts`]])) };
  return `${JSON.stringify({ ...JSON.parse(manifest), typesVersions, exports }, null, 2)}\n`;
}

function exportOf(code: string, types: string): object {
  return {
    require: { types: `./dist/${types}.d.cts`, default: `./dist/${code}.cjs` },
    types: `./dist/${types}.d.ts`,
    default: `./dist/${code}.js`,
  };
}

function readIfPresent(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

if (import.meta.main) {
  const dryRun = process.argv.includes("--check");
  const changed = generateApis(fileURLToPath(new URL("..", import.meta.url)), { dryRun });
  for (const name of changed) console.log(`${dryRun ? "out of date" : "written"}: packages/ai/${name}`);
  if (dryRun && changed.length > 0) process.exitCode = 1;
}
