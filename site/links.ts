/** Turns the links of a page of the repository into links of the site. */
import { posix } from "node:path";
import { isPicture, pageAt, placeOf } from "./sources.ts";

/** Code, in which brackets have another meaning, or a link: its text and its target. */
const CODE_OR_LINK =
  /^(`{3,}|~{3,}).*?^\1|(?<!`)(`+)(?!`).*?(?<!`)\2(?!`)|\[((?:[^[\]`]|`[^`]*`|!\[[^[\]]*\]\([^()\s]*\))*)\]\(([^()\s]+)\)/gms;

export interface Site {
  sources: ReadonlySet<string>;
  /** The address of the repository, without a slash at its end; "" if it is not known. */
  repository: string;
}

export interface Linked {
  text: string;
  /** Paths in the repository of the pictures that the page shows. */
  pictures: string[];
}

/**
 * The page with links that hold in the site: to another page, to a picture that is copied beside the pages, or to the file in
 * the repository. Where that has no address, the words of the link stay without it.
 */
export function relink(markdown: string, source: string, site: Site): Linked {
  const pictures: string[] = [];
  const text = markdown.replaceAll(
    CODE_OR_LINK,
    (whole: string, _fence: unknown, _ticks: unknown, words?: string, link?: string) => {
      if (words === undefined || link === undefined) return whole;
      // A picture can be the text of a link.
      const inner = relink(words, source, site);
      pictures.push(...inner.pictures);
      const target = targetOf(link, source, site, pictures);
      return target === undefined ? inner.text : `[${inner.text}](${target})`;
    },
  );
  return { text, pictures };
}

function targetOf(link: string, source: string, site: Site, pictures: string[]): string | undefined {
  if (/^(?:\w+:|#|\/\/)/.test(link)) return link;
  const [path = "", anchor] = link.split("#");
  const suffix = anchor === undefined ? "" : `#${anchor}`;
  const file = posix.join(posix.dirname(source), decodeURI(path)).replace(/\/$/, "");
  const page = pageAt(file, site.sources);
  if (page !== undefined) return `${stepFrom(source, placeOf(page))}${suffix}`;
  if (isPicture(file)) {
    pictures.push(file);
    return stepFrom(source, placeOfPicture(file));
  }
  if (site.repository === "") return undefined;
  return `${site.repository}/${posix.extname(file) === "" ? "tree" : "blob"}/HEAD/${file}${suffix}`;
}

/** The relative link from a page to another place of the site. */
function stepFrom(source: string, place: string): string {
  const step = posix.relative(posix.dirname(placeOf(source)), place);
  return step.startsWith(".") ? step : `./${step}`;
}

/** Where a picture of the repository stands in the site. */
export function placeOfPicture(file: string): string {
  return file.replace(/^docs\//, "");
}
