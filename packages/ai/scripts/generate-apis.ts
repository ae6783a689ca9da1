/**
 * Generates everything that follows from the rows of the built-in apis: names, loaders, functions, package entries and
 * exports, and the table of the README.
 *
 *   --check  write nothing, and fail if a file is out of date
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { listEntries, writeSources } from "../../../scripts/package-entries.ts";
import {
  entryFile,
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

const ROOT_EXPORT = /export \{[^}]*\} from "\.\/providers\/named-streams\.generated\.js";/;
const TABLE = /(<!-- apis: [^>]*-->\n\n)[\s\S]*?(\n\n<!-- end of apis -->)/;

/** Updates the files. Returns the paths of the changed ones, relative to the package. */
export function generateApis(packageFolder: string, { dryRun = false }: { dryRun?: boolean } = {}): string[] {
  const files = generateFiles(packageFolder, readApiRows(packageFolder));
  const changed = [...files].filter(([name, text]) => readIfPresent(join(packageFolder, name)) !== text);
  if (!dryRun) {
    for (const [name, text] of changed) {
      const file = join(packageFolder, name);
      mkdirSync(dirname(file), { recursive: true });
      if (text === undefined) rmSync(file);
      else writeFileSync(file, text);
    }
  }
  return changed.map(([name]) => name);
}

/** The text of each file by its path; undefined for an entry whose row was removed. */
function generateFiles(packageFolder: string, rows: readonly ApiRow[]): Map<string, string | undefined> {
  const read = (name: string): string => readFileSync(join(packageFolder, name), "utf8");
  const entries = new Map(rows.map((row) => [entryFile(row), generateEntry(row)]));
  const present = Object.entries(listEntries(packageFolder));
  const stale = present.filter(
    ([, file]) => !entries.has(file) && readIfPresent(join(packageFolder, file))?.includes(GENERATED),
  );
  const kept = present.filter((entry) => !stale.includes(entry));
  const sources = Object.fromEntries([...kept, ...rows.map((row) => [row.entry, entryFile(row)])]);
  return new Map<string, string | undefined>([
    ["src/types/known-api.generated.ts", generateKnownApi(rows)],
    ["src/providers/built-in-apis.generated.ts", generateLoaders(rows)],
    ["src/providers/named-streams.generated.ts", generateNamedStreams(rows)],
    ["src/providers/options-by-api.generated.ts", generateOptions(rows)],
    ["src/index.ts", replacePart(read("src/index.ts"), ROOT_EXPORT, () => generateRootExport(rows))],
    ["README.md", replacePart(read("README.md"), TABLE, (_, head, tail) => `${head}${generateTable(rows)}${tail}`)],
    ["package.json", withExports(read("package.json"), sources)],
    ...entries,
    ...stale.map(([, file]) => [file, undefined] as const),
  ]);
}

function replacePart(text: string, part: RegExp, replace: (...groups: string[]) => string): string {
  if (!part.test(text)) throw new Error(`The text has no part that matches ${part}`);
  return text.replace(part, replace);
}

/** The manifest with exports for the root, for each entry by its source, and for itself. */
function withExports(manifest: string, { index = "src/index.ts", ...sources }: Record<string, string>): string {
  const entries = Object.entries(sources).sort(([left], [right]) => (left < right ? -1 : 1));
  const exported = Object.fromEntries(entries.map(([name, source]) => [`./${name}`, exportOf(name, source)]));
  const exports = { ".": exportOf("index", index), ...exported, "./package.json": "./package.json" };
  // For TypeScript's old resolution, which does not read `exports`.
  const typesVersions = { "*": Object.fromEntries(entries.map(([name, source]) => [name, [typesOf(source)]])) };
  return `${JSON.stringify({ ...JSON.parse(manifest), typesVersions, exports }, null, 2)}\n`;
}

/** Declarations mirror the sources. */
function typesOf(source: string): string {
  return source.replace("src/", "./dist/").replace(/\.ts$/, ".d.ts");
}

function exportOf(code: string, source: string): object {
  return {
    require: { types: typesOf(source).replace(/ts$/, "cts"), default: `./dist/${code}.cjs` },
    types: typesOf(source),
    default: `./dist/${code}.js`,
  };
}

function readIfPresent(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

if (import.meta.main) {
  const dryRun = process.argv.includes("--check");
  const changed = generateApis(fileURLToPath(new URL("..", import.meta.url)), { dryRun });
  if (!dryRun) writeSources();
  for (const name of changed) console.log(`${dryRun ? "out of date" : "written"}: packages/ai/${name}`);
  if (dryRun && changed.length > 0) process.exitCode = 1;
}
