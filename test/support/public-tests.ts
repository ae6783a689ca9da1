/**
 * Which tests use public names only. Outside of `src`, files that import internals have `.internal.` in their names; beside
 * the sources, tests may import either.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDERS = ["packages/ai", "packages/agent", "packages/inspect", "test"];
const SKIPPED = new Set(["node_modules", "dist"]);

/** A module of a package, which is not a test or a helper of tests. */
export function isSource(file: string): boolean {
  return /^packages\/\w+\/src\/(?!.*\.test\.ts$)/.test(relative(ROOT, file));
}

const IMPORT = /^(?:import|export)\s(?!type\s)(?:[^"';]*?\sfrom\s+)?"(\.[^"]+)"/gm;
const DYNAMIC = /\b(?:import|vi\.(?:do)?[mM]ock)\(\s*"(\.[^"]+)"/g;

/** The files that a file loads by their paths. Types are not loaded. */
export function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const found = [IMPORT, DYNAMIC].flatMap((pattern) => [...text.matchAll(pattern)].map(([, path = ""]) => path));
  const paths = found.map((path) => resolve(dirname(file), path));
  return paths.map((path) => [path, path.replace(/\.js$/, ".ts")].find(existsSync) ?? path);
}

function* listFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* listFiles(path);
    else if (entry.isFile() && entry.name.endsWith(".ts") && !isSource(path)) yield path;
  }
}

/** The tests, their helpers and the scripts of the packages. */
export const testSide: readonly string[] = FOLDERS.map((folder) => join(ROOT, folder))
  // A copy of one package, on which the scaffolds are tested, has no other.
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => [...listFiles(folder)]);

const imports = new Map(testSide.map((file) => [file, importsOf(file)]));

/** Whether a file, or a helper that it imports, imports a source by its path. */
export function reachesSource(file: string, visited: Set<string> = new Set()): boolean {
  if (visited.has(file)) return false;
  visited.add(file);
  return (imports.get(file) ?? []).some((path) => isSource(path) || reachesSource(path, visited));
}

/** Whether a file, or a helper that it imports, imports a package by its name. */
function reachesPackage(file: string, visited: Set<string> = new Set()): boolean {
  if (visited.has(file)) return false;
  visited.add(file);
  const named = /\bfrom\s+"pi-(?:ai|agent|inspect)[/"]/.test(readFileSync(file, "utf8"));
  return named || (imports.get(file) ?? []).some((path) => imports.has(path) && reachesPackage(path, visited));
}

/** The test files that use the packages, and by their names only. */
export const publicTests: readonly string[] = testSide.filter(
  (file) => file.endsWith(".test.ts") && !file.includes("/scripts/") && reachesPackage(file) && !reachesSource(file),
);
