/** Writes the Markdown of all pages, their pictures and the list of pages into one folder, from which the site is built. */
import { globSync } from "node:fs";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { placeOfPicture, relink, type Site } from "./links.ts";
import { listProviders, writeProviderPage } from "./provider-page.ts";
import { type Arranged, arrange } from "./sections.ts";
import { GENERATED, listMarkdown, placeOf, ROOT } from "./sources.ts";

export interface StageOptions {
  folder: string;
  /** The folder with the reference as Markdown. */
  reference: string;
  /** The address of the repository; "" if it is not known. */
  repository: string;
}

/** A part of the list of pages, as the theme of the site takes it. */
export interface MenuItem {
  text: string;
  /** Without the ending. */
  link?: string;
  collapsed?: boolean;
  items?: MenuItem[];
}

/** The file with the list of pages, in the folder of the pages. */
export const MENU = "menu.json";

/** Returns the number of pages. */
export async function stagePages({ folder, reference, repository }: StageOptions): Promise<number> {
  const texts = new Map([
    ...(await readAll(ROOT, listMarkdown(), "")),
    ...(await readAll(reference, globSync("**/*.md", { cwd: reference }), `${GENERATED}reference/`)),
    ...(await writeProviderPages()),
  ]);
  const overview = "docs/providers.md";
  texts.set(overview, linkProviders(texts.get(overview) ?? "", listProviders()));
  const { sections, problems } = arrange([...texts.keys()]);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  await rm(folder, { recursive: true, force: true });
  const site: Site = { sources: new Set(texts.keys()), repository };
  const pictures = new Set<string>();
  for (const [source, markdown] of texts) {
    const page = relink(markdown, source, site);
    for (const picture of page.pictures) pictures.add(picture);
    await write(join(folder, placeOf(source)), page.text);
  }
  for (const picture of pictures) {
    const target = join(folder, placeOfPicture(picture));
    await mkdir(dirname(target), { recursive: true });
    await copyFile(join(ROOT, picture), target);
  }
  const titles = new Map([...texts].map(([source, markdown]) => [source, titleOf(markdown)]));
  await write(join(folder, MENU), JSON.stringify(toMenu(sections, titles)));
  await write(join(folder, "llms.txt"), toList(sections, titles));
  return texts.size;
}

async function readAll(folder: string, files: readonly string[], prefix: string): Promise<[string, string][]> {
  return Promise.all(
    files.map(
      async (file): Promise<[string, string]> => [
        `${prefix}${file.replaceAll("\\", "/")}`,
        await readFile(join(folder, file), "utf8"),
      ],
    ),
  );
}

async function writeProviderPages(): Promise<[string, string][]> {
  const pages: [string, string][] = [];
  for (const provider of listProviders())
    pages.push([`${GENERATED}providers/${provider}.md`, await writeProviderPage(provider)]);
  return pages;
}

/** The table of the providers, with a link from each to its page, which only the site has. */
export function linkProviders(markdown: string, providers: readonly string[]): string {
  return markdown.replaceAll(/^\| `([\w-]+)` \|/gm, (whole, name: string) =>
    providers.includes(name) ? `| [\`${name}\`](../${GENERATED}providers/${name}.md) |` : whole,
  );
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** The heading of a page, as plain words. */
export function titleOf(markdown: string): string {
  const [, heading = "Untitled"] = /^# (.*)$/m.exec(markdown) ?? [];
  return heading.replaceAll(/[`*]|\\(?=[[\]<>_])/g, "").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}

type Titles = ReadonlyMap<string, string>;

function toMenu(sections: readonly Arranged[], titles: Titles): MenuItem[] {
  return sections
    .filter(({ groups }) => groups.size > 0)
    .map(({ section, groups }) => ({
      text: section.title,
      collapsed: section.title !== "Start",
      items: [...groups].flatMap(([name, sources]): MenuItem[] => {
        const items = sources.map((source) => ({ text: titles.get(source) ?? source, link: linkTo(source) }));
        return name === "" ? items : [{ text: name, collapsed: true, items }];
      }),
    }));
}

function linkTo(source: string): string {
  return `/${placeOf(source).replace(/(?:index)?\.md$/, "")}`;
}

/** The list of pages for coding assistants (llmstxt.org), with links to their Markdown. */
function toList(sections: readonly Arranged[], titles: Titles): string {
  const parts = sections.map(({ section, groups }) => {
    const links = [...groups.values()].flat().map((source) => `- [${titles.get(source)}](${placeOf(source)})`);
    return `## ${section.title}: ${section.question}\n\n${links.join("\n")}\n`;
  });
  return ["# pi-ai and pi-agent\n", ...parts].join("\n");
}
