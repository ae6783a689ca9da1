/**
 * Writes the address of the repository into packed files: the manifest, and the links of the README that lead out of
 * the package.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";

const CODE_OR_LINK = /^```.*?^```$|\[((?:[^\]`]|`[^`]*`)*)\]\(([^)\s]+)\)/gms;

/**
 * The README with links that work on any page that shows it. A link out of the package becomes a link to the
 * repository, or plain text if the repository is not known.
 *
 * @param folder of the package in the repository, for example `packages/ai`
 * @param repository its address, or "" if it is not known
 */
export function absoluteLinks(readme: string, folder: string, repository: string): string {
  return readme.replaceAll(CODE_OR_LINK, (whole: string, text?: string, link?: string) => {
    if (text === undefined || link === undefined || !link.startsWith("../")) return whole;
    if (repository === "") return text;
    const [path = "", anchor] = link.split("#");
    const target = posix.join(folder, path);
    const kind = posix.extname(target) === "" ? "tree" : "blob";
    return `[${text}](${repository}/${kind}/HEAD/${target}${anchor === undefined ? "" : `#${anchor}`})`;
  });
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

/**
 * Writes both into a folder that is about to be packed.
 *
 * @param packed the folder
 * @param folder of the package in the repository
 */
export async function addRepository(packed: string, folder: string, repository: string): Promise<void> {
  const [manifest, readme] = [join(packed, "package.json"), join(packed, "README.md")];
  const fields = { ...JSON.parse(await readFile(manifest, "utf8")), ...repositoryFields(folder, repository) };
  await writeFile(manifest, `${JSON.stringify(fields, undefined, 2)}\n`);
  const text = absoluteLinks(await readFile(readme, "utf8"), folder, repository);
  await writeFile(readme, repository === "" ? text : text.replaceAll(UNPUBLISHED, ""));
}
