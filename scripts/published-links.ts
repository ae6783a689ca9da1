/**
 * Copies the pages of the documentation into folders that are about to be packed, so that a reader of `node_modules` finds them, makes
 * their links work there, and writes the address of the repository into the manifests.
 */
import { globSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";

/** Pages for those who work in the repository. */
const NOT_PACKED = ["docs/reference/**", "docs/{architecture,install,performance}.md", "**/node_modules/**"];

/** The pages that each package contains. Those of pi-ai are in pi-agent, too, whose pages link to them. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  "packages/ai": [
    "docs/{long-context,model-families,oauth,own-sdk,provider-content,providers,proxy,route,security}.md",
    "docs/{server-tools,size,stream-middleware,structured-output,testing}.md",
    "docs/guides/{azure,bedrock,fallback,local-models,logging,login,pdf,prompt-caching,vertex}.md",
  ],
  "packages/agent": ["docs/**/*.md"],
  "packages/inspect": ["docs/inspect.md"],
};

const CODE_OR_LINK = /^```.*?^```$|!?\[((?:[^\]`]|`[^`]*`)*)\]\(([^)\s]+)\)/gms;

/** A page, where it is in the repository, and the package that contains it. */
export interface PackedPage {
  /** Such as `docs/agent.md`. */
  path: string;
  /** Such as `packages/agent`. */
  folder: string;
  /** The pages in the package, by their paths in the repository. */
  pages: ReadonlySet<string>;
  /** The address of the repository, or "" if it is not known. */
  repository: string;
}

/**
 * The text of a page with links that work in the package: to another page of it, or to the repository. If that is not known, the text of
 * a link remains. A README leads to the repository if it can, because npm shows it by itself.
 */
export function packedLinks(text: string, page: PackedPage): string {
  return text.replaceAll(CODE_OR_LINK, (whole: string, label?: string, link?: string) => {
    if (label === undefined || link === undefined || /^(?:\w+:|#)/.test(link)) return whole;
    const [path = "", anchor] = link.split("#");
    const address = packedAddress(path, page, whole.startsWith("!"));
    if (address === undefined) return label;
    return `${whole.startsWith("!") ? "!" : ""}[${label}](${address}${anchor === undefined ? "" : `#${anchor}`})`;
  });
}

/** Where a path of a page leads to from the package; undefined if nobody knows. */
function packedAddress(path: string, { path: page, folder, pages, repository }: PackedPage, isPicture: boolean) {
  const place = (file: string): string => (file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file);
  const named = posix.join(posix.dirname(page), path).replace(/\/$/, "");
  const target = named === folder ? `${folder}/README.md` : named;
  if (pages.has(target) && !(page.endsWith("README.md") && repository !== ""))
    return posix.relative(posix.dirname(place(page)), place(target));
  if (repository === "") return undefined;
  const kind = isPicture ? "raw" : posix.extname(target) === "" ? "tree" : "blob";
  return `${repository}/${kind}/HEAD/${target}`;
}

/** The fields of a manifest that name the repository; none if it is not known. */
export function repositoryFields(folder: string, repository: string): Record<string, unknown> {
  if (repository === "") return {};
  if (!/^https:\/\/[^\s/]+\/\S*[^\s/]$/.test(repository) || repository.endsWith(".git")) {
    throw new Error(`A repository looks like "https://github.com/acme/pi", not ${JSON.stringify(repository)}`);
  }
  return {
    repository: { type: "git", url: `git+${repository}.git`, directory: folder },
    homepage: `${repository}/tree/HEAD/${folder}#readme`,
    bugs: { url: `${repository}/issues` },
  };
}

/** What a page says to those who cannot install from npm yet. A release, which knows its repository, leaves it out. */
const UNPUBLISHED = /^<!-- until it is published -->\n.*?^<!-- end -->\n\n?/gms;

/** The pages of a package, by their paths in the repository. */
export function listPages(root: string, folder: string): string[] {
  const own = globSync(`${folder}/{README,SKILL}.md`, { cwd: root });
  return [...own, ...globSync([...(PAGES[folder] ?? [])], { cwd: root, exclude: NOT_PACKED })].sort();
}

/**
 * Writes the pages and the fields of the manifest into a folder that is about to be packed.
 *
 * @param packed the folder
 * @param folder of the package in the repository, for example `packages/ai`
 */
export async function addPages(packed: string, root: string, folder: string, repository: string): Promise<void> {
  const manifest = join(packed, "package.json");
  const fields = { ...JSON.parse(await readFile(manifest, "utf8")), ...repositoryFields(folder, repository) };
  await writeFile(manifest, `${JSON.stringify(fields, undefined, 2)}\n`);
  const pages = new Set(listPages(root, folder));
  for (const path of pages) {
    const text = packedLinks(await readFile(join(root, path), "utf8"), { path, folder, pages, repository });
    const file = join(packed, path.replace(`${folder}/`, ""));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, repository === "" ? text : text.replaceAll(UNPUBLISHED, ""));
  }
}
