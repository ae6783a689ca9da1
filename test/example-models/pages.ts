/** Finds the ids of models in pages, examples and doc comments. */
import { globSync } from "node:fs";
import { resolve } from "node:path";
import { EXAMPLE_MODELS, EXCEPTIONS, type ExampleModel } from "./list.ts";

export const ROOT: string = resolve(import.meta.dirname, "../..");

const PAGES = [
  "*.md",
  "docs/**/*.md",
  "examples/**/*.{md,ts,tsx,html}",
  "packages/*/{README,SKILL}.md",
  "packages/*/src/**/*.ts",
];
/** Comments there are about the very models that a fact holds for. */
const FACTS = /\/(?:node_modules|catalogue|providers)\/|\.(?:generated|test)\.ts$/;

/** The files whose models come from the list, by their paths in the repository. */
export function listPages(): string[] {
  const excepted = new Set(EXCEPTIONS.map(({ page }) => page));
  return globSync(PAGES, { cwd: ROOT, exclude: ["**/node_modules", "**/dist"] })
    .map((page) => page.replaceAll("\\", "/"))
    .filter((page) => !FACTS.test(page) && !excepted.has(page))
    .toSorted();
}

/** A word that can be an id, with the slashes of hosts that put a vendor before it; it ends in no punctuation. */
const WORD = /[\w~][\w.:/-]*\w/g;
const DOC_COMMENT = /^\s*(?:\/\*\*|\*)/;

/** The text with each word replaced. Of a source, only doc comments are read. */
export function mapWords(page: string, text: string, replace: (word: string) => string): string {
  if (!page.startsWith("packages/") || page.endsWith(".md")) return text.replaceAll(WORD, replace);
  const lines = text.split("\n");
  return lines.map((line) => (DOC_COMMENT.test(line) ? line.replaceAll(WORD, replace) : line)).join("\n");
}

/** The readings of a word as an id: the whole, and what follows a provider's name (`anthropic/claude-sonnet-5-5`). */
export function readingsOf(word: string): string[] {
  const slash = word.indexOf("/");
  return slash === -1 ? [word] : [word, word.slice(slash + 1)];
}

/** The row that a word is of, and what comes before the id in the word. */
export function findExample(word: string): { model: ExampleModel; before: string } | undefined {
  for (const id of readingsOf(word)) {
    const model = EXAMPLE_MODELS.find(({ kind }) => kind.test(id));
    if (model !== undefined) return { model, before: word.slice(0, word.length - id.length) };
  }
  return undefined;
}

/** The text with the ids of the list in place of others of their kinds. */
export const replaceModels = (page: string, text: string): string =>
  mapWords(page, text, (word) => {
    const found = findExample(word);
    return found === undefined ? word : `${found.before}${found.model.id}`;
  });
