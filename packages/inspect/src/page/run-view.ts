/** The entries of one run, with a filter over them. */
import type { Entry } from "../record/entry.js";
import { findText } from "./client.js";
import { element } from "./element.js";
import { EntryPages } from "./entry-pages.js";
import { entryRow, spanAt } from "./rows.js";
import { VirtualList } from "./virtual-list.js";

const ROW_HEIGHT = 34;

export class RunView {
  readonly list: VirtualList;
  /** Of the run that is shown. */
  #pages: EntryPages | undefined;
  /** The indexes of the entries that the filter shows; undefined shows all. */
  #shown: number[] | undefined;
  #selected: number | undefined;
  #search = 0;
  /** Of the run that will be shown when its first page has arrived, or that is shown. */
  #next: EntryPages | undefined;
  readonly #onLoad: () => void;

  /**
   * @param onSelect receives the index of an entry
   * @param onLoad is called when entries have arrived that were not there before
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

  /** An entry; undefined while it is being loaded. */
  at(index: number): Entry | undefined {
    return this.#pages?.at(index);
  }

  /** All entries of the run. */
  async all(): Promise<Entry[]> {
    return (await this.#pages?.all()) ?? [];
  }

  /** The next call of {@link load} loads the entries again. */
  reset(): void {
    this.#next = undefined;
  }

  /** Shows another run. Returns whether it was loaded: it is not if it is shown already. */
  async load(run: string | undefined): Promise<boolean> {
    if (run === this.#next?.run) return false;
    const pages = run === undefined ? undefined : new EntryPages(run, () => this.#arrived(pages));
    this.#next = pages;
    await pages?.load(0);
    if (this.#next !== pages) return false;
    this.#pages = pages;
    this.#changed(false);
    return true;
  }

  #arrived(pages: EntryPages | undefined): void {
    if (pages !== this.#pages) return;
    this.list.draw();
    this.#onLoad();
  }

  /** Returns whether the changes are those of the run that is shown. */
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

  /** Shows the entries that hold a text; all for an empty one. Returns how many, as a sentence. */
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
