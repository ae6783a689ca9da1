/** The timeline of one run with its header: the title and totals, the buttons, and the field that filters by a text. */
import type { Entry, RunSummary } from "../record/entry.js";
import { findText, loadEntries } from "./client.js";
import { button, element } from "./element.js";
import { addressOf } from "./route.js";
import { entryRow, formatCost, formatCount, formatMs, spanAt } from "./rows.js";
import { VirtualList } from "./virtual-list.js";

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

const ROW_HEIGHT = 34;

export class RunView {
  readonly list: VirtualList;
  /** The entries of the run that is shown. */
  #pages: EntryPages | undefined;
  /** The indexes of the entries that match the filter. Undefined without a filter. */
  #shown: number[] | undefined;
  #selected: number | undefined;
  /** The number of searches so far. A response to an older search is ignored. */
  #search = 0;
  /** The entries of the run that was requested last. They become `#pages` when their first page is loaded. */
  #next: EntryPages | undefined;
  readonly #onLoad: () => void;

  /**
   * @param onSelect receives the index of an entry
   * @param onLoad called when more entries of the run were loaded
   */
  constructor(onSelect: (index: number) => void, onLoad: () => void) {
    this.#onLoad = onLoad;
    this.list = new VirtualList({
      label: "timeline",
      rowHeight: ROW_HEIGHT,
      row: (position) => this.#row(position),
      onSelect: (position) => onSelect(this.#indexAt(position)),
    });
  }

  get count(): number {
    return this.#pages?.count ?? 0;
  }

  /** The entry with this index. If it is not loaded yet, returns undefined and starts to load it. */
  at(index: number): Entry | undefined {
    return this.#pages?.at(index);
  }

  /** Loads all entries of the run. */
  async all(): Promise<Entry[]> {
    return (await this.#pages?.all()) ?? [];
  }

  /** Makes the next call of {@link load} load the run even if it is shown already. */
  reset(): void {
    this.#next = undefined;
  }

  /** Loads and shows a run. Resolves with false if it is shown already, or if another run was requested meanwhile. */
  async load(run: string | undefined): Promise<boolean> {
    if (run === this.#next?.run) return false;
    const pages = run === undefined ? undefined : new EntryPages(run, () => this.#arrived(pages));
    this.#next = pages;
    await pages?.load(0);
    if (this.#next !== pages) return false;
    this.#pages = pages;
    // The hits of a search are those of the run before.
    this.#shown = undefined;
    this.#changed(false);
    return true;
  }

  #arrived(pages: EntryPages | undefined): void {
    if (pages !== this.#pages) return;
    this.list.draw();
    this.#onLoad();
  }

  /** Applies changes of entries. Returns whether they were changes of the run that is shown. */
  update(run: string, changes: readonly [index: number, entry: Entry][]): boolean {
    for (const pages of new Set([this.#pages, this.#next])) if (run === pages?.run) pages.update(changes);
    if (run !== this.#pages?.run) return false;
    this.#changed(true);
    return true;
  }

  select(index: number | undefined): void {
    this.#selected = index;
    this.list.select(index === undefined ? -1 : (this.#shown?.indexOf(index) ?? index));
  }

  /**
   * Shows the entries that contain a text, or all if it is empty. Resolves with the number of hits, such as "3 of 40".
   */
  async filter(run: string, text: string): Promise<string> {
    const search = ++this.#search;
    const found = text === "" ? undefined : await findText(run, text);
    if (search !== this.#search) return "";
    this.#shown = found?.hits;
    this.#changed(false);
    this.select(this.#selected);
    if (!found) return "";
    return `${found.hits.length}${found.more ? " or more" : ""} of ${this.count}`;
  }

  #changed(follow: boolean): void {
    this.list.resize(this.#shown?.length ?? this.count, follow);
  }

  #indexAt(position: number): number {
    return this.#shown?.[position] ?? position;
  }

  #row(position: number): HTMLElement {
    const index = this.#indexAt(position);
    const entry = this.at(index);
    if (!entry) return element("div", { class: "entry" }, element("span"), element("span", { class: "facts" }, "…"));
    return entryRow(
      entry,
      spanAt((place) => this.#pages?.peek(place), index),
    );
  }
}

/** Entries of a page. One response of the server has as many. */
const SIZE = 1000;
const MAX_PAGES = 30;

type Changes = readonly [index: number, entry: Entry][];

interface EntryPage {
  entries: Entry[];
  /** The changes that were reported while the page is being loaded. Undefined when it is loaded. */
  loading?: [index: number, entry: Entry][] | undefined;
}

/** The entries of a run, loaded in pages on demand. The pages that were used most recently are kept. */
class EntryPages {
  readonly run: string;
  readonly #onLoad: () => void;
  /** By their numbers; the one that was used most recently comes last. */
  readonly #pages = new Map<number, EntryPage>();
  /** The last page in the map, unless a load has added one since. Saves moving it there for every row. */
  #newest: EntryPage | undefined;
  /** The number of all entries. */
  count = 0;

  /** @param onLoad called when a page was loaded that {@link at} had requested */
  constructor(run: string, onLoad: () => void) {
    this.run = run;
    this.#onLoad = onLoad;
  }

  /** The entry with this index. If it is not loaded yet, returns undefined and starts to load its page. */
  at(index: number): Entry | undefined {
    if (index < 0 || index >= this.count) return undefined;
    const number = Math.floor(index / SIZE);
    const page = this.#pages.get(number);
    if (!page) void this.load(number).then(this.#onLoad);
    else if (page !== this.#newest) {
      this.#pages.delete(number);
      this.#pages.set(number, page);
      this.#newest = page;
    }
    return page?.entries[index % SIZE];
  }

  /** The entry with this index, if it is loaded. */
  peek(index: number): Entry | undefined {
    return this.#pages.get(Math.floor(index / SIZE))?.entries[index % SIZE];
  }

  /** Loads a page. Never rejects. */
  async load(number: number): Promise<void> {
    const page: EntryPage = { entries: [], loading: [] };
    this.#pages.set(number, page);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES) break;
      this.#pages.delete(oldest);
    }
    try {
      const loaded = await loadEntries(this.run, number * SIZE);
      page.entries = loaded?.entries.slice() ?? [];
      this.count = Math.max(this.count, loaded?.run.entries ?? 0);
    } catch {
      // The server does not respond. When it is back, the whole page is loaded again.
    }
    const changes = page.loading ?? [];
    page.loading = undefined;
    this.update(changes);
  }

  update(changes: Changes): void {
    for (const [index, entry] of changes) {
      this.count = Math.max(this.count, index + 1);
      const page = this.#pages.get(Math.floor(index / SIZE));
      if (page?.loading) page.loading.push([index, entry]);
      else if (page) page.entries[index % SIZE] = entry;
    }
  }

  /** Loads all entries in order, without keeping them. */
  async all(): Promise<Entry[]> {
    const all: Entry[] = [];
    while (all.length < this.count) {
      const { entries = [] } = (await loadEntries(this.run, all.length)) ?? {};
      for (const entry of entries) all.push(entry);
      if (entries.length === 0) break;
    }
    return all;
  }
}
