/** Shows the details of an entry. */
import type { Section } from "../record/entry.js";
import type { EntryDetails } from "../server/api.js";
import { button, element } from "./element.js";

/** Texts with more characters are collapsed at first. */
const OPEN_LENGTH = 4000;

interface DetailsOptions {
  /** Opens the form for a fork. Undefined if the run cannot be forked at this entry. */
  onFork: (() => void) | undefined;
  /** Shown above the sections. */
  notice: HTMLElement | undefined;
}

const RESULT_FROM = {
  recording: "The result was taken from the original run.",
  page: "The result was typed on this page.",
  tool: "The program ran the tool for this fork.",
} as const;

export function detailsView({ entry, sections }: EntryDetails, { onFork, notice }: DetailsOptions): HTMLElement {
  const { kind, turn, name, inherited, resultFrom } = entry;
  const origin = inherited ? "This row is part of the original run." : resultFrom && RESULT_FROM[resultFrom];
  return element(
    "article",
    {},
    element(
      "div",
      { class: "details-head" },
      element("h2", {}, kind === "request" ? `Request ${turn}` : name),
      onFork && button(kind === "request" ? "Fork here" : "Fork from here", onFork),
    ),
    origin && element("p", { class: "facts" }, origin),
    notice,
    ...sections.map(sectionView),
  );
}

function sectionView(section: Section, index: number): HTMLElement {
  if (section.kind === "table") return tableView(section);
  const isLong = section.kind === "text" && (section.text.length > OPEN_LENGTH || index > 12);
  const made = element("details", {}, element("summary", {}, section.title));
  made.open = !isLong && !/^Prompt|^Tools$|JSON$|^Headers$|^Request body$/.test(section.title);
  // The content of a collapsed section is created when the section is opened.
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
