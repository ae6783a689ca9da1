/** What the pages of a built site refer to: other pages, headings, files, and hosts. */
import { globSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";

export interface BuiltSite {
  folder: string;
  /** The path of the site at its host. */
  base: string;
}

/** The pages of the site, such as `guides/hono.html`. */
export function listPages(folder: string): string[] {
  const pages = globSync("**/*.html", { cwd: folder }).map((path) => path.replaceAll("\\", "/"));
  return pages.filter((page) => page !== "404.html").sort();
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&quot;": '"',
  "&#39;": "'",
  "&lt;": "<",
  "&gt;": ">",
};

function attributes(html: string, name: string): string[] {
  const found = [...html.matchAll(new RegExp(`<[a-zA-Z][^>]* ${name}="([^"]*)"`, "g"))];
  return found.map(([, value = ""]) =>
    value.replaceAll(/&(?:amp|quot|#39|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity),
  );
}

/** Each link of the pages that leads nowhere in the site, and each thing that a page would load from another host. */
export function findBrokenLinks({ folder, base }: BuiltSite): string[] {
  const pages = listPages(folder);
  const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), "utf8")]));
  const ids = new Map([...texts].map(([page, html]) => [page, new Set(attributes(html, "id"))]));
  const broken: string[] = [];
  for (const [page, html] of texts) {
    for (const link of new Set([...attributes(html, "href"), ...attributes(html, "src")])) {
      const problem = /^(?:[a-z]+:|\/\/)/.test(link) ? "" : findProblem(link, page);
      if (problem !== "") broken.push(`${page}: ${link} ${problem}`);
    }
    const foreign = [
      ...html.matchAll(/<(?:script|img|iframe|source|link)\b[^>]* (?:src|href)="((?:https?:)?\/\/[^"]*)"/g),
    ];
    broken.push(...foreign.map(([, address]) => `${page}: loads ${address}`));
  }
  return broken;

  function findProblem(link: string, page: string): string {
    const [path = "", anchor] = link.split("#");
    if (path.startsWith("/") && !path.startsWith(base)) return `is outside of ${base}`;
    const file = path.startsWith("/") ? path.slice(base.length) : posix.join(posix.dirname(page), path);
    const target = path === "" ? page : targetOf(decodeURI(file).replace(/\?.*$/, ""));
    if (target === undefined) return "leads to no file";
    const isHeading = anchor === undefined || anchor === "" || ids.get(target)?.has(decodeURIComponent(anchor));
    return isHeading ? "" : "leads to no heading";
  }

  function targetOf(file: string): string | undefined {
    const path = posix.normalize(file);
    return [path, posix.join(path, "index.html")].find((one) =>
      statSync(join(folder, one), { throwIfNoEntry: false })?.isFile(),
    );
  }
}

/** Each page without its Markdown beside it, and each link of the Markdown that leads to no file of the site. */
export function findBrokenMarkdown(folder: string): string[] {
  const exists = (file: string): boolean => statSync(join(folder, file), { throwIfNoEntry: false })?.isFile() ?? false;
  return listPages(folder).flatMap((page) => {
    const file = page.replace(/html$/, "md");
    if (!exists(file)) return [`${page}: no Markdown`];
    const prose = readFileSync(join(folder, file), "utf8").replaceAll(/^(```+).*?^\1|(`+)(?!`).*?\2(?!`)/gms, "");
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link.split("#")[0] ?? "");
    const own = links.filter((link) => link !== "" && !/^\w+:/.test(link));
    return own
      .filter((link) => !exists(posix.join(posix.dirname(file), decodeURI(link))))
      .map((link) => `${file}: ${link} leads to no file`);
  });
}
