/** The header above the timeline: the title and totals of a run, the run it was forked from, and its buttons. */
import type { RunSummary } from "../record/entry.js";
import { element } from "./element.js";
import { button } from "./form.js";
import { formatCost, formatCount, formatMs } from "./format.js";
import { addressOf } from "./route.js";

export interface RunHeaderActions {
  onCompare: (original: string, fork: string) => void;
  onStop: (run: string) => void;
  /** Shows the first tool call that waits. */
  onWaiting: () => void | Promise<void>;
}

export class RunHeader {
  readonly element: HTMLElement = element("div");
  readonly #actions: RunHeaderActions;
  #key = "";

  constructor(actions: RunHeaderActions) {
    this.#actions = actions;
  }

  /** @param hint shown if there is no run; empty for nothing */
  show(run: RunSummary | undefined, original: RunSummary | undefined, hint: string): void {
    // The number of entries is not shown. Leaving it out of the key avoids replacing the buttons for each new entry.
    const key = JSON.stringify([run ? { ...run, entries: 0 } : hint, original?.title]);
    if (key === this.#key) return;
    this.#key = key;
    const focused = this.element.contains(document.activeElement) ? document.activeElement?.textContent : undefined;
    const content = run
      ? runHeader(run, original, this.#actions)
      : element("p", { class: "hint", hidden: !hint }, hint);
    this.element.replaceChildren(content);
    const buttons = [...content.querySelectorAll("button")];
    buttons.find(({ textContent }) => textContent === focused)?.focus();
  }
}

function runHeader(run: RunSummary, original: RunSummary | undefined, actions: RunHeaderActions): HTMLElement {
  const { title, model, outcome, durationMs, usage, parent, waiting, dropped = 0 } = run;
  const tokens = usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
  const facts = [model, outcome === "done" ? "" : outcome, formatMs(durationMs), `${formatCount(tokens)} tokens`];
  const isFork = parent !== undefined;
  return element(
    "header",
    { class: "run-header" },
    element(
      "div",
      { class: "run-facts" },
      element("h1", { class: "cut", title }, title || "(untitled)"),
      element("p", { class: "facts" }, [...facts, formatCost(usage.cost)].filter(Boolean).join(" · ")),
      dropped > 0 &&
        element(
          "p",
          { class: "facts dropped" },
          `The first ${dropped} rows are no longer kept, and are in no log. The totals include them.`,
        ),
      parent && origin(parent.run, parent.turn, parent.entry, original?.title),
    ),
    element(
      "div",
      { class: "actions" },
      waiting > 0 && button(waiting === 1 ? "1 call waits" : `${waiting} calls wait`, actions.onWaiting, "primary"),
      isFork && outcome === "running" && button("Stop", () => actions.onStop(run.id), "danger"),
      isFork && original !== undefined && button("Compare with original", () => actions.onCompare(parent.run, run.id)),
    ),
  );
}

function origin(run: string, turn: number, entry: number, title: string | undefined): HTMLElement {
  const place = `Forked at request ${turn} of `;
  if (title === undefined) return element("p", { class: "facts cut" }, `${place}a run that is no longer kept`);
  const href = addressOf({ run, view: entry, query: "" });
  return element("p", { class: "facts cut" }, place, element("a", { href }, title || "(untitled)"));
}

/** Milliseconds between the last key and the search. */
const DELAY = 200;

/** The search field of a run. It searches after a pause in typing, or when it loses the focus. */
export class SearchField {
  readonly element: HTMLInputElement = element("input", {
    type: "search",
    placeholder: "Search (/)",
    oninput: () => this.#typed(),
    onchange: () => this.#search(),
  });
  /** The text of the latest search. */
  #text = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #onSearch: (text: string) => void;

  constructor(onSearch: (text: string) => void) {
    this.#onSearch = onSearch;
    this.element.ariaLabel = "Search";
  }

  /** Sets the text to that of the page's address, unless the field has the focus. Returns whether the text changed. */
  show(text: string): boolean {
    if (document.activeElement === this.element || this.element.value === text) return false;
    this.element.value = text;
    this.#text = text;
    return true;
  }

  #typed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#search(), DELAY);
  }

  #search(): void {
    clearTimeout(this.#timer);
    if (this.element.value === this.#text) return;
    this.#text = this.element.value;
    this.#onSearch(this.#text);
  }
}
