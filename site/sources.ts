/** The Markdown of the repository from which pages of the site are made, and where each page stands. */
import { existsSync, globSync } from "node:fs";
import { join, posix, resolve } from "node:path";

export const ROOT: string = resolve(import.meta.dirname, "..");

/** What is no page: packages that are installed, and the reference that TypeDoc writes for people without the site. */
const LEFT_OUT = new Set(["node_modules", "html", "dist"]);
const PATTERNS = ["{README,CONTRIBUTING,SECURITY}.md", "docs/**/*.md", "packages/*/README.md", "examples/*/README.md"];

/** The Markdown files, as paths in the repository such as `docs/agent.md`. */
export function listMarkdown(root: string = ROOT): string[] {
  const found = globSync(PATTERNS, { cwd: root, exclude: (path) => LEFT_OUT.has(posix.basename(path)) });
  return found.map((path) => path.replaceAll("\\", "/")).sort();
}

/** Pages that are made when the site is built have a path in this folder, which does not exist. */
export const GENERATED = "generated/";

/** The rules that move a page, the first one that matches; all others lose `docs/` only. */
const PLACES: readonly [source: RegExp, place: string][] = [
  [/^README\.md$/, "index.md"],
  [/^docs\/providers\.md$/, "providers/index.md"],
  [/^(?:docs|generated)\/(.*\/)README\.md$/, "$1index.md"],
  [/^(?:docs|generated)\/(.*)$/, "$1"],
  [/^packages\/([^/]+)\/README\.md$/, "pi-$1.md"],
  [/^examples\/([^/]+)\/README\.md$/, "examples/$1.md"],
  [/^([^/]+)\.md$/, "repository/$1.md"],
];

/** Where a page stands in the site: `guides/express.md` for `docs/guides/express.md`. */
export function placeOf(source: string): string {
  const rule = PLACES.find(([pattern]) => pattern.test(source));
  if (!rule) throw new Error(`No rule says where ${source} stands in the site`);
  return source.replace(...rule).toLowerCase();
}

/** The page behind a path that a link names: the file, or the README of a folder. */
export function pageAt(path: string, sources: ReadonlySet<string>): string | undefined {
  return [path, posix.join(path, "README.md")].find((one) => sources.has(one));
}

/** Whether a path leads to a picture of the repository, which the site copies. */
export function isPicture(path: string): boolean {
  return /\.(?:avif|gif|jpe?g|png|svg|webp)$/.test(path) && existsSync(join(ROOT, path));
}
