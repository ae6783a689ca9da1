/** The entries of one run, with a filter over them. */
import type { Entry } from "../record/entry.js";
import { findText, loadEntries } from "./client.js";
import { entryRow, spansOf, type TurnSpan } from "./rows.js";
import { VirtualList } from "./virtual-list.js";

const ROW_HEIGHT = 34;

export class RunView {
  readonly list: VirtualList;
  entries: Entry[] = [];
  /** The indexes of the entries that the filter shows; undefined shows all. */
  #shown: number[] | undefined;
  #spans: Map<number, TurnSpan> | undefined;
  #selected: number | undefined;
  #search = 0;
  /** The run whose entries are shown. */
  #loaded: string | undefined;

  /** @param onSelect receives the index of an entry */
  constructor(onSelect: (index: number) => void) {
    this.list = new VirtualList({
      label: "timeline",
      rowHeight: ROW_HEIGHT,
      row: (position) => this.#row(position),
      onSelect: (position) => onSelect(this.#indexAt(position)),
    });
  }

  /** The next call of {@link load} loads the entries again. */
  reset(): void {
    this.#loaded = undefined;
  }

  /** Shows another run. Returns whether it was loaded: it is not if it is shown already. */
  async load(run: string | undefined): Promise<boolean> {
    if (run === this.#loaded) return false;
    this.#loaded = run;
    const entries = run === undefined ? [] : ((await loadEntries(run)) ?? []);
    if (this.#loaded !== run) return false;
    this.entries = entries;
    this.#changed(false);
    return true;
  }

  /** Returns whether the changes are those of the run that is shown. */
  update(run: string, changes: readonly [index: number, entry: Entry][]): boolean {
    if (run !== this.#loaded) return false;
    for (const [index, entry] of changes) if (index <= this.entries.length) this.entries[index] = entry;
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
    return `${found.hits.length}${found.more ? " or more" : ""} of ${this.entries.length}`;
  }

  #changed(follow: boolean): void {
    this.#spans = undefined;
    this.list.resize(this.#shown?.length ?? this.entries.length, follow);
  }

  #indexAt(position: number): number {
    return this.#shown?.[position] ?? position;
  }

  #row(position: number): HTMLElement {
    const entry = this.entries[this.#indexAt(position)];
    if (!entry) return document.createElement("div");
    // Made once for all rows of a frame.
    this.#spans ??= spansOf(this.entries);
    return entryRow(entry, this.#spans.get(entry.turn));
  }
}
