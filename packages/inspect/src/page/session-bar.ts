/** The controls above the list of runs: a filter, and buttons that list more sessions of the folder or database. */
import type { RunSummary } from "../record/entry.js";
import { loadSessions, moreSessions } from "./client.js";
import { button, element } from "./element.js";
import { formatCount } from "./format.js";

/** A shorter list has no filter. */
const FEW_RUNS = 10;

export class SessionBar {
  readonly #input = element("input", { type: "search", placeholder: "Filter runs", oninput: () => this.#onFilter() });
  readonly #text = element("span", { class: "facts" });
  readonly #find = button("Find", () => void this.#load(this.#input.value));
  readonly #more = element(
    "div",
    { class: "actions", hidden: true },
    this.#text,
    button("Show more", () => void this.#load()),
    this.#find,
  );
  readonly element: HTMLElement = element("div", { class: "sessions" }, this.#input, this.#more);
  readonly #onFilter: () => void;

  constructor(onFilter: () => void) {
    this.#onFilter = onFilter;
    this.#input.ariaLabel = "Filter runs";
    this.#find.title = "Searches the names of all sessions for the text of the filter";
    this.#input.addEventListener("keydown", ({ key }) => {
      if (key === "Enter") void this.#load(this.#input.value);
    });
  }

  /** The runs whose title, source or model contains the text of the filter. Hides the filter if the list is short. */
  filter(runs: readonly RunSummary[]): readonly RunSummary[] {
    const wanted = this.#input.value.toLowerCase();
    this.#input.hidden = wanted === "" && this.#more.hidden && runs.length < FEW_RUNS;
    if (wanted === "") return runs;
    return runs.filter(({ title, source, model }) => `${title}\n${source}\n${model}`.toLowerCase().includes(wanted));
  }

  /**
   * Shows how many of the sessions are in the list.
   *
   * @param result of a search or an error, shown before the numbers
   */
  async update(result = ""): Promise<void> {
    const counts = await loadSessions();
    this.#more.hidden = !counts || (counts.shown >= counts.total && result === "");
    this.#onFilter();
    if (counts)
      this.#text.textContent = `${result}${formatCount(counts.shown)} of ${formatCount(counts.total)} sessions`;
  }

  /** @param text finds the sessions whose names contain it; undefined adds the next older sessions */
  async #load(text?: string): Promise<void> {
    if (this.#more.hidden || text === "") return;
    this.#text.textContent = "Reading …";
    const { found, error } = await moreSessions(text);
    await this.update(error !== undefined ? `${error} ` : found === undefined ? "" : `${found} found · `);
  }
}
