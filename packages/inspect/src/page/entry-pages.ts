/** The entries of a run, loaded in pages when they are needed. Those that were needed last are kept. */
import type { Entry } from "../record/entry.js";
import { loadEntries } from "./client.js";

/** Entries of a page: those of one response of the server. */
const SIZE = 1000;
const MAX_PAGES = 30;

type Changes = readonly [index: number, entry: Entry][];

interface EntryPage {
  entries: Entry[];
  /** What changes while it is loaded. */
  loading?: [index: number, entry: Entry][] | undefined;
}

export class EntryPages {
  readonly run: string;
  readonly #onLoad: () => void;
  /** The one that was needed last at the end. */
  readonly #pages = new Map<number, EntryPage>();
  #newest: EntryPage | undefined;
  /** The number of all entries. */
  count = 0;

  /** @param onLoad is called when entries have arrived that {@link at} did not have */
  constructor(run: string, onLoad: () => void) {
    this.run = run;
    this.#onLoad = onLoad;
  }

  /** An entry; undefined while it is being loaded. */
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

  /** An entry that is loaded. */
  peek(index: number): Entry | undefined {
    return this.#pages.get(Math.floor(index / SIZE))?.entries[index % SIZE];
  }

  /** Loads a page. */
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
      // The server is gone; when it is back, everything is loaded again.
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

  /** All entries, in order. They are not kept. */
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
