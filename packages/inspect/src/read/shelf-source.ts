/** The runs of a place with many sessions: those of the newest, and more when the page requests them. */
import type { Run } from "../record/run.js";
import type { RunStore, SessionCounts, SessionList } from "../record/run-store.js";
import type { RunSink, Source } from "./source.js";

/** Sessions that are shown first, and that are added at once. */
const STEP = 1000;
/** Sessions of one search. */
const MAX_FOUND = 100;

/** A session in a place with many. */
export interface ShelfItem {
  id: string;
}

/** A place with many sessions. The ids of their runs are the id of the session, a hyphen and a number. */
export interface Shelf<TItem extends ShelfItem> {
  /** The sessions that were written last, the last one first, and whether one that was there before is gone. */
  list(limit: number): Promise<{ items: TItem[]; isGone: (id: string) => boolean }>;
  /** The sessions whose ids hold a text, the one with exactly this id first. */
  find(text: string, limit: number): Promise<TItem[]>;
  count(): Promise<number>;
  /** Reads what is new in a session. */
  read(item: TItem): Promise<void>;
  /** Takes a session away. */
  drop(id: string): Promise<void>;
  close(): Promise<void>;
}

export class ShelfSource<TItem extends ShelfItem> implements Source, SessionList {
  readonly #shelf: Shelf<TItem>;
  readonly #store: RunStore;
  readonly #known = new Set<string>();
  #limit: number;
  /** The runs of a session that is older than those that are shown. */
  #older: Run[] | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param create receives where the runs go */
  constructor(create: (sink: RunSink) => Shelf<TItem>, store: RunStore, limit: number = STEP) {
    this.#store = store;
    this.#limit = limit;
    this.#shelf = create({
      parts: store.parts,
      add: (run) => void (this.#older?.push(run) ?? store.add(run)),
      remove: (run) => store.remove(run),
    });
    store.sessions = this;
  }

  /** @throws the error of the place */
  check(): Promise<void> {
    return this.#inTurn(async () => {
      const { items, isGone } = await this.#shelf.list(this.#limit);
      // The page shows the run that came last at the top.
      for (const item of items.reverse()) await this.#read(item);
      for (const id of this.#known) {
        if (!isGone(id)) continue;
        this.#known.delete(id);
        await this.#shelf.drop(id);
      }
    });
  }

  async counts(): Promise<SessionCounts> {
    return { shown: this.#known.size, total: Math.max(this.#known.size, await this.#shelf.count()) };
  }

  showMore(): Promise<void> {
    return this.#inTurn(async () => {
      const { items } = await this.#shelf.list(this.#limit + STEP);
      for (const item of items) await this.#readOlder(item);
      this.#limit += STEP;
    });
  }

  find(text: string): Promise<number> {
    return this.#inTurn(async () => {
      const items = await this.#shelf.find(text, MAX_FOUND);
      for (const item of items) await this.#readOlder(item);
      return items.length;
    });
  }

  open(run: string): Promise<Run | undefined> {
    return this.#inTurn(async () => {
      const id = run.slice(0, Math.max(0, run.lastIndexOf("-")));
      const [item] = id === "" ? [] : await this.#shelf.find(id, 1);
      if (item?.id === id) await this.#readOlder(item);
      return this.#store.get(run);
    });
  }

  close(): Promise<void> {
    return this.#inTurn(() => this.#shelf.close());
  }

  async #read(item: TItem): Promise<void> {
    this.#known.add(item.id);
    await this.#shelf.read(item);
  }

  async #readOlder(item: TItem): Promise<void> {
    if (this.#known.has(item.id)) return;
    const runs: Run[] = [];
    this.#older = runs;
    try {
      await this.#read(item);
    } finally {
      this.#older = undefined;
    }
    for (const run of runs.reverse()) this.#store.add(run, true);
  }

  /** A session must not be read by two at the same time. */
  #inTurn<TValue>(work: () => Promise<TValue>): Promise<TValue> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}
