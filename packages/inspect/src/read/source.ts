/**
 * Sources read files, folders and databases into a store, and are checked for changes while the page is open. Of a shelf, which
 * is a folder or a database, the newest sessions are read, and more when the page requests them.
 */
import { watch } from "node:fs";
import type { Run } from "../record/run.js";
import type { RunStore, SessionCounts, SessionList } from "../record/run-store.js";

/** Reads a place into a store. */
export interface Source {
  /** Reads what is new. Called for the first time before the page is served. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Where the runs of a source go. */
export interface RunSink extends Pick<RunStore, "parts" | "remove"> {
  add(run: Run): void;
}

/** The options of every source. */
export interface SourceOptions {
  store: RunSink;
  /** Unix time in milliseconds. */
  now: () => number;
}

/** A run without an end counts as aborted when its source has not been written for this time, in milliseconds. */
export const QUIET_MS = 60_000;

/** Milliseconds between two checks. A notification of the file system causes a check at once. */
const POLL_MS = 500;
/** After a slow check, as in a folder with very many files, the next one waits for this many times its duration. */
const REST_FACTOR = 4;

/**
 * Checks a source repeatedly, one check at a time. Continues after a failed check, because the file may come back.
 *
 * @param folder the folder to watch for changes, if there is one
 * @returns a function that stops it and resolves when the last check has ended
 */
export function pollSource(source: Source, folder: string | undefined): () => Promise<void> {
  let checking: Promise<void> | undefined;
  let restsUntil = 0;
  const check = (): void => {
    const start = performance.now();
    if (start < restsUntil) return;
    checking ??= source
      .check()
      .catch(() => {})
      .finally(() => {
        checking = undefined;
        const took = performance.now() - start;
        if (took > POLL_MS) restsUntil = start + took * (1 + REST_FACTOR);
      });
  };
  const timer = setInterval(check, POLL_MS);
  const watcher = folder === undefined ? undefined : watchFolder(folder, check);
  return async () => {
    clearInterval(timer);
    watcher?.close();
    await checking;
    await source.close();
  };
}

/**
 * Watches a folder if possible. Some file systems cannot be watched or lose notifications, so the timer is needed, too.
 */
function watchFolder(folder: string, onChange: () => void): { close(): void } | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onChange);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

/** How many sessions are listed at first, and how many are added at a time. */
const STEP = 1000;
/** The most sessions that a search adds. */
const MAX_FOUND = 100;

/** A session of a folder or a database. */
export interface ShelfItem {
  id: string;
}

/** A folder or a database with sessions. The id of a run is the id of its session, a hyphen and a number. */
export interface Shelf<TItem extends ShelfItem> {
  /** The sessions that were written most recently, the latest first, and whether a session that was known is gone. */
  list(limit: number): Promise<{ items: TItem[]; isGone: (id: string) => boolean }>;
  /** The sessions whose ids contain a text. One whose id equals it comes first. */
  find(text: string, limit: number): Promise<TItem[]>;
  count(): Promise<number>;
  /** Reads what is new in a session. */
  read(item: TItem): Promise<void>;
  /** Removes the runs of a session. */
  drop(id: string): Promise<void>;
  close(): Promise<void>;
}

export class ShelfSource<TItem extends ShelfItem> implements Source, SessionList {
  readonly #shelf: Shelf<TItem>;
  readonly #store: RunStore;
  readonly #known = new Set<string>();
  #limit: number;
  /** Collects the runs of an older session while it is read, so that they are added before the others. */
  #older: Run[] | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param create creates the shelf. Its runs go to the sink. */
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

  /** @throws an error if the folder or the database cannot be read */
  check(): Promise<void> {
    return this.#inTurn(async () => {
      const { items, isGone } = await this.#shelf.list(this.#limit);
      // The page shows the run that was added last at the top, so the newest session is read last.
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

  /** Runs one piece of work after another, because two reads of a session at the same time would mix its lines. */
  #inTurn<TValue>(work: () => Promise<TValue>): Promise<TValue> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}
