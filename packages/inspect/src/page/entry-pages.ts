/** The entries of a run, loaded in pages on demand. The pages that were used most recently are kept. */
import type { Entry } from "../record/entry.js";
import { loadEntries } from "./client.js";

/** Entries of a page. One response of the server has as many. */
const SIZE = 1000;
const MAX_PAGES = 30;

type Changes = readonly [index: number, entry: Entry][];

interface EntryPage {
  entries: Entry[];
  /** The changes that were reported while the page is being loaded. Undefined when it is loaded. */
  loading?: [index: number, entry: Entry][] | undefined;
}

export class EntryPages {
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
