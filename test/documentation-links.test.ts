/** Links between the pages of the repository lead to existing files and headings, and tables have no padding. */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const FOLDERS = [".", "docs", "docs/guides", "docs/migrate", "packages/ai", "packages/agent", "packages/inspect"];

async function listPages(): Promise<string[]> {
  const examples = (await readdir(join(ROOT, "examples"))).map((name) => `examples/${name}`);
  const listed = await Promise.all(
    [...FOLDERS, ...examples].map(async (folder) => {
      const names = await readdir(join(ROOT, folder));
      return names.filter((name) => name.endsWith(".md")).map((name) => join(ROOT, folder, name));
    }),
  );
  return listed.flat();
}

/** The page without code blocks, in which brackets have another meaning. */
async function readProse(page: string): Promise<string> {
  return (await readFile(page, "utf8")).replaceAll(/^```.*?^```$/gms, "");
}

/** The anchors of a page, which GitHub derives from its headings. */
async function anchorsOf(page: string): Promise<string[]> {
  const headings = [...(await readProse(page)).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

async function isGood(page: string, link: string): Promise<boolean> {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : resolve(dirname(page), path);
  if (!existsSync(target)) return false;
  if (anchor === undefined) return true;
  return (await anchorsOf(target.endsWith(".md") ? target : join(target, "README.md"))).includes(anchor);
}

it("has no broken link", async () => {
  const pages = await listPages();
  const links = await Promise.all(
    pages.map(async (page) => {
      const found = [...(await readProse(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
      return found.filter((link) => !/^\w+:/.test(link)).map((link) => ({ page, link }));
    }),
  );
  expect(links.flat().length).toBeGreaterThan(50);
  const checked = await Promise.all(
    links
      .flat()
      .map(async ({ page, link }) => ((await isGood(page, link)) ? [] : [`${relative(ROOT, page)}: ${link}`])),
  );
  expect(checked.flat()).toEqual([]);
});

it("writes tables without padding, so that a longer cell changes one line", async () => {
  const padded = await Promise.all(
    (await listPages()).map(async (page) => {
      const lines = (await readProse(page)).split("\n").filter((line) => /^\|.*(?:\| {2}| {2}\|)/.test(line));
      return lines.map((line) => `${relative(ROOT, page)}: ${line}`);
    }),
  );
  expect(padded.flat()).toEqual([]);
});
