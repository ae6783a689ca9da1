/**
 * Counts the words of the documentation, the pages with the most words first: those for people, and the tables that commands write.
 * A word is what stands between white space and holds a letter or a digit, in programs and tables, too.
 */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "packages/*/README.md", "docs/**/*.md"];
/** What `npm run task docs:requests`, `docs:providers` and `npm run bench` write. */
const WRITTEN = /^docs\/(?:requests|model-families|performance-tables|size)(?:\.md|\/)/;

const pages = globSync(PAGES, { cwd: ROOT, exclude: ["**/node_modules/**", "docs/reference/**"] })
  .map((path) => {
    const words = readFileSync(join(ROOT, path), "utf8").split(/\s+/);
    return { path: path.replaceAll("\\", "/"), count: words.filter((word) => /[\p{L}\p{N}]/u.test(word)).length };
  })
  .sort((one, other) => other.count - one.count || one.path.localeCompare(other.path));

const sumOf = (isWritten: boolean): number =>
  pages.reduce((sum, { path, count }) => (WRITTEN.test(path) === isWritten ? sum + count : sum), 0);
const lines = [
  ...pages.map(({ path, count }) => [count, path]),
  [sumOf(false), "words that people have written"],
  [sumOf(true), "words that commands have written"],
];
console.log(lines.map(([count, name]) => `${String(count).padStart(6)}  ${name}`).join("\n"));
