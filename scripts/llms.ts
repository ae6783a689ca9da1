/** Writes `llms.txt`, a list of all pages for coding assistants (llmstxt.org). `--check` only reports whether it is up to date. */
import { globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const SECTIONS: Readonly<Record<string, string>> = {
  Packages: "{README,docs/install,packages/{ai,agent,inspect}/README}.md",
  Guides: "docs/*/**/*.md",
  Reference: "docs/*.md",
};

/** A line with the title of a page and its first paragraph. */
async function describePage(path: string): Promise<string> {
  const text = await readFile(join(ROOT, path), "utf8");
  const title = /^# (.*)$/m.exec(text)?.[1] ?? path;
  const paragraphs = text.split(/\n{2,}/).slice(1);
  const summary = paragraphs.find((part) => /^(?!```)[A-Z`*]/.test(part)) ?? "";
  const plain = summary.replaceAll(/\s+/g, " ").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return `- [${title}](${path}): ${plain}`;
}

const parts = [
  "# pi-ai and pi-agent\n",
  "> Two TypeScript libraries: one streaming API for every LLM provider, and an agent on top of it.\n",
  "`npm run task docs:llms` writes this list.\n",
];
const listed = new Set<string>();
for (const [name, pattern] of Object.entries(SECTIONS)) {
  const found = globSync(pattern, { cwd: ROOT, exclude: ["**/node_modules/**", "docs/reference/**"] });
  const pages = found.filter((path) => !listed.has(path)).sort();
  for (const path of pages) listed.add(path);
  parts.push(`## ${name}\n\n${(await Promise.all(pages.map(describePage))).join("\n")}\n`);
}
const [file, text] = [join(ROOT, "llms.txt"), parts.join("\n")];
if (!process.argv.includes("--check")) await writeFile(file, text);
else if ((await readFile(file, "utf8").catch(() => "")) !== text) {
  process.stderr.write("llms.txt is out of date: run npm run task docs:llms\n");
  process.exitCode = 1;
}
