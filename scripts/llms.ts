/**
 * Writes the documentation for users of coding assistants: `llms.txt`, a list of all pages (llmstxt.org), and
 * `llms-full.txt`, all pages in one, as Markdown, which is not committed. `--check` only reports whether the list is up to date.
 */
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  Packages: ["README.md", "docs/install.md", "packages/ai/README.md", "packages/agent/README.md"],
  Guides: [
    "docs/guides/README.md",
    "docs/guides/express.md",
    "docs/guides/hono.md",
    "docs/guides/nextjs-route.md",
    "docs/guides/azure.md",
    "docs/guides/bedrock.md",
    "docs/guides/vertex.md",
    "docs/guides/local-models.md",
    "docs/guides/login.md",
    "docs/guides/logging.md",
    "docs/guides/prompt-caching.md",
    "docs/guides/fallback.md",
    "docs/guides/pdf.md",
    "docs/guides/approval.md",
    "docs/guides/mcp.md",
    "docs/guides/sessions.md",
    "docs/guides/durable.md",
    "docs/guides/resumable-node.md",
    "docs/guides/resumable-express.md",
    "docs/guides/resumable-hono.md",
    "docs/guides/resumable-nextjs.md",
    "docs/guides/use-chat.md",
    "docs/guides/stop-and-steer.md",
    "docs/guides/web-approval.md",
    "docs/guides/ag-ui.md",
    "docs/guides/testing-agents.md",
  ],
  Reference: [
    "docs/agent.md",
    "docs/middleware.md",
    "docs/stream-middleware.md",
    "docs/providers.md",
    "docs/model-families.md",
    "docs/provider-content.md",
    "docs/structured-output.md",
    "docs/embed.md",
    "docs/sessions.md",
    "docs/long-context.md",
    "docs/streams.md",
    "docs/durable.md",
    "docs/oauth.md",
    "docs/proxy.md",
    "docs/testing.md",
    "docs/hosts.md",
    "docs/inspect.md",
    "docs/migration.md",
    "docs/architecture.md",
  ],
};

interface Page {
  path: string;
  title: string;
  /** The first paragraph, on one line. */
  summary: string;
  text: string;
}

async function readPage(path: string): Promise<Page> {
  const text = await readFile(join(ROOT, path), "utf8");
  const title = /^# (.*)$/m.exec(text)?.[1] ?? path;
  const paragraphs = text.split(/\n{2,}/).slice(1);
  const summary = paragraphs.find((part) => /^[A-Z`*]/.test(part)) ?? "";
  return { path, title, summary: summary.replaceAll(/\s+/g, " ").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"), text };
}

function toList(sections: Readonly<Record<string, readonly Page[]>>): string {
  const lists = Object.entries(sections).map(([name, pages]) => {
    const lines = pages.map(({ title, path, summary }) => `- [${title}](${path}): ${summary}`);
    return `## ${name}\n\n${lines.join("\n")}\n`;
  });
  return [
    "# pi-ai and pi-agent\n",
    "> Two TypeScript libraries: one streaming API for every LLM provider, and an agent on top of it.\n",
    "`npm run task docs:llms` writes this list, and all pages in one file, `llms-full.txt`.\n",
    ...lists,
  ].join("\n");
}

/** All pages in one. Links between pages become relative to the root. */
function toBook(pages: readonly Page[]): string {
  const chapters = pages.map(({ path, text }) => {
    const rooted = text.replaceAll(/\]\((?!\w+:|#)([^)\s]+)\)/g, (_, link: string) => {
      return `](${posix.normalize(posix.join(dirname(path), link))})`;
    });
    return `<!-- ${path} -->\n\n${rooted.trim()}\n`;
  });
  return `<!-- Written by scripts/llms.ts (npm run task docs:llms); changes here are lost. -->\n\n${chapters.join("\n---\n\n")}`;
}

const sections: Record<string, Page[]> = {};
for (const [name, paths] of Object.entries(SECTIONS)) sections[name] = await Promise.all(paths.map(readPage));
const files = { "llms.txt": toList(sections), "llms-full.txt": toBook(Object.values(sections).flat()) };
for (const [name, text] of Object.entries(files)) {
  const path = join(ROOT, name);
  if (!process.argv.includes("--check")) await writeFile(path, text);
  else if (name !== "llms-full.txt" && (await readFile(path, "utf8").catch(() => "")) !== text) {
    process.stderr.write(`${name} is out of date: run npm run task docs:llms\n`);
    process.exitCode = 1;
  }
}
