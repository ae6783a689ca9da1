/** The source files behind the entries of a package, as its manifest names them: declarations mirror the sources. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = { "pi-ai": "packages/ai", "pi-agent": "packages/agent", "pi-inspect": "packages/inspect" } as const;

interface Manifest {
  exports: Record<string, unknown>;
}

/**
 * The sources by the names of the files that the build makes of them.
 *
 * @returns paths relative to the package, such as `src/index.ts` for `index`
 */
export function listEntries(packageFolder: string): Record<string, string> {
  const { exports }: Manifest = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
  const entries = Object.entries(exports).flatMap(([name, target]): [string, string][] => {
    if (typeof target !== "object" || target === null || !("types" in target)) return [];
    const source = String(target.types)
      .replace("./dist/", "src/")
      .replace(/\.d\.ts$/, ".ts");
    return [[name === "." ? "index" : name.slice(2), source]];
  });
  return Object.fromEntries(entries);
}

/** The source of each entry of all packages by the name that programs import. */
export function listSources(root: string = ROOT): Record<string, string> {
  const present = Object.entries(FOLDERS).filter(([, folder]) => existsSync(join(root, folder)));
  const sources = present.flatMap(([name, folder]) =>
    Object.entries(listEntries(join(root, folder))).map(([entry, source]): [string, string] => [
      entry === "index" ? name : `${name}/${entry}`,
      join(root, folder, source),
    ]),
  );
  return Object.fromEntries(sources);
}

/** `paths` of a compiler's configuration in this folder. */
export function listPaths(folder: string, root: string = ROOT): Record<string, [string]> {
  const paths = Object.entries(listSources(root)).map(([name, file]): [string, [string]] => {
    const path = relative(folder, file).replaceAll("\\", "/");
    return [name, [path.startsWith(".") ? path : `./${path}`]];
  });
  return Object.fromEntries(paths);
}

/** `paths` that lead to the declarations of a package's build, instead of its sources. */
export function listDeclarations(name: keyof typeof FOLDERS, dist: string): Record<string, [string]> {
  const entries = Object.entries(listEntries(join(ROOT, FOLDERS[name])));
  const paths = entries.map(([entry, source]): [string, [string]] => [
    entry === "index" ? name : `${name}/${entry}`,
    [join(dist, source.replace("src/", "").replace(/\.ts$/, ".d.ts"))],
  ]);
  return Object.fromEntries(paths);
}

/** The text of `tsconfig.sources.json`, from which every check of types takes the sources of the packages. */
export function describeSources(root: string = ROOT): string {
  const compilerOptions = { paths: listPaths(root, root), allowImportingTsExtensions: true };
  const text = JSON.stringify({ extends: "./tsconfig.base.json", compilerOptions }, null, 2);
  // The layout of the formatter.
  return `${text.replaceAll(/\[\n\s+("[^"]+")\n\s+\]/g, "[$1]")}\n`;
}

export function writeSources(): void {
  writeFileSync(join(ROOT, "tsconfig.sources.json"), describeSources());
}

if (import.meta.main) writeSources();
