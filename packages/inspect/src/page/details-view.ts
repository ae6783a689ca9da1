/** The details of an entry. */
import type { Section } from "../record/entry.js";
import type { EntryDetails } from "../server/api.js";
import { element } from "./element.js";

/** Longer texts are closed until they are opened. */
const OPEN_LENGTH = 4000;

export function detailsView({ entry, sections }: EntryDetails): HTMLElement {
  return element(
    "article",
    {},
    element("h2", {}, `${entry.kind === "request" ? `Request ${entry.turn}` : entry.name}`),
    ...sections.map(sectionView),
  );
}

function sectionView(section: Section, index: number): HTMLElement {
  if (section.kind === "table") return tableView(section);
  const isLong = section.kind === "text" && (section.text.length > OPEN_LENGTH || index > 12);
  const made = element("details", {}, element("summary", {}, section.title));
  made.open = !isLong && !/^Prompt|^Tools$|JSON$|^Headers$|^Request body$/.test(section.title);
  // A closed section costs nothing.
  const fill = (): void => {
    if (made.open && made.childElementCount === 1) made.append(...contentOf(section));
  };
  made.addEventListener("toggle", fill);
  fill();
  return made;
}

function contentOf(section: Exclude<Section, { kind: "table" }>): HTMLElement[] {
  if (section.kind === "text") return [element("pre", {}, section.text)];
  const { summary, before, after } = section;
  return [
    element("p", { class: before === "" ? "" : "warning" }, summary),
    ...(before === "" ? [] : [element("pre", { class: "before", title: "before" }, before)]),
    element("pre", { class: "after", title: "now" }, after),
  ];
}

function tableView({ title, rows }: Extract<Section, { kind: "table" }>): HTMLElement {
  const lines = rows.map(([name, value]) => element("tr", {}, element("th", {}, name), element("td", {}, value)));
  return element("table", {}, element("caption", {}, title), ...lines);
}
