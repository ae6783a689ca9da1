/** The runs that the page can show. Their number is bounded: new runs displace the oldest finished ones. */
import type { Launcher } from "./launcher.js";
import type { Run, RunPart } from "./run.js";
import { Shown } from "./shown.js";
import { Wire } from "./wire.js";

/** How much is kept, and whether runs can be forked. */
interface StoreLimits {
  /** The most live runs and forks. Runs of files and databases are not limited. Default 500. */
  runs?: number;
  /**
   * The most entries of all runs together; a long entry of a log counts more than once. Runs that can be read again
   * lose their entries, but stay in the list. A running run keeps its newest entries. Default 200,000.
   */
  entries?: number;
  /** Sends the requests of forks, for runs without a launcher of their own. */
  launcher?: Launcher | undefined;
}

/** A run whose entries are not written before something needs them, because that is faster. */
export interface LaterRun {
  readonly isRunning: boolean;
  /** An upper limit of the number of its entries. */
  readonly size: number;
  /** The requests whose bodies it keeps. */
  readonly wires: readonly Wire[];
  /** Writes the run, and adds it to the store. */
  show(): void;
  /** Called when newer runs have displaced it. */
  drop(): void;
}

/** How far runs that are not written yet may exceed the limit. Dropping many at once is faster. */
const SPARE_RUNS = 50;

/** The number of sessions in a folder or a database, and how many of them are in the list of runs. */
export interface SessionCounts {
  shown: number;
  total: number;
}

/**
 * The sessions of a folder or a database, which may have more than are listed. All methods reject if it cannot be read.
 */
export interface SessionList {
  counts(): Promise<SessionCounts>;
  /** Adds the next older sessions to the list of runs. */
  showMore(): Promise<void>;
  /** Adds the sessions whose names contain a text. Resolves with the number of those found, at most 100. */
  find(text: string): Promise<number>;
  /** Adds the session of a run that is not in the list. Resolves with undefined if there is no such run. */
  open(run: string): Promise<Run | undefined>;
}

/** What changed: the entry with this index, the run itself, which may be new, or the list of runs. */
export type StoreChange = number | "run" | "dropped" | "added as oldest";

type StoreListener = (run: Run, change: StoreChange) => void;

export class RunStore {
  /** Bounds the recorded bodies of all requests. */
  readonly bodies: BodyBudget = new BodyBudget();
  /** The requests and spans that runs show already. */
  readonly shown: Shown = new Shown();
  /** Caches the parts of runs that were read again. */
  readonly parts: PartCache = new PartCache();
  /** Absent if all runs are in the list. */
  sessions: SessionList | undefined;
  #runs = new Map<string, Run>();
  readonly #listeners = new Set<StoreListener>();
  /** The number of live runs and forks. */
  #transient = 0;
  /** The number of kept entries of all runs. */
  #kept = 0;
  /** How many entries of each run `#kept` counts. */
  readonly #counted = new Map<Run, number>();
  /** The runs that are not written yet, the oldest first. All of them are newer than those in `#runs`. */
  #later: LaterRun[] = [];
  /** The sum of the sizes of those in `#later` that have ended. */
  #laterSize = 0;
  readonly #maxRuns: number;
  readonly #maxEntries: number;
  readonly #launcher: Launcher | undefined;

  constructor({ runs = 500, entries = 200_000, launcher }: StoreLimits = {}) {
    this.#launcher = launcher;
    this.#maxRuns = runs;
    this.#maxEntries = entries;
  }

  /** In the order in which they were added. */
  get runs(): Run[] {
    this.showAll();
    return [...this.#runs.values()];
  }

  get(id: string): Run | undefined {
    this.showAll();
    return this.#runs.get(id);
  }

  /** Adds a run when its entries are needed: at once if there is a listener, else when something reads the store. */
  addLater(run: LaterRun): void {
    this.#later.push(run);
    if (this.#listeners.size > 0) this.showAll();
    else this.#trimLater();
  }

  /** Must be called when a run that was added with `addLater` has ended: from then on, it can be dropped. */
  endLater(run: LaterRun): void {
    this.#laterSize += run.size;
    this.#trimLater();
  }

  /** Writes all runs that were added with `addLater`. */
  showAll(): void {
    if (this.#later.length === 0) return;
    const later = this.#later;
    this.#later = [];
    this.#laterSize = 0;
    for (const run of later) run.show();
  }

  add(run: Run, isOldest = false): void {
    this.showAll();
    run.launcher ??= this.#launcher;
    if (isTransient(run) && !this.#runs.has(run.summary.id)) this.#transient++;
    if (isOldest) this.#runs = new Map([[run.summary.id, run], ...this.#runs]);
    else this.#runs.set(run.summary.id, run);
    run.onChange = (change) => this.#change(run, change);
    this.#count(run);
    this.#trim();
    this.#notify(run, isOldest ? "added as oldest" : "run");
  }

  /** Removes a run whose source is gone, or that newer runs displace. */
  remove(run: Run): void {
    if (this.#runs.get(run.summary.id) !== run) return;
    this.#runs.delete(run.summary.id);
    if (isTransient(run)) this.#transient--;
    this.#kept -= this.#counted.get(run) ?? 0;
    this.#counted.delete(run);
    run.onChange = () => {};
    for (const part of run.described) if (part instanceof Wire) this.bodies.release(part);
    this.#notify(run, "dropped");
  }

  subscribe(listener: StoreListener): () => void {
    this.showAll();
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Like `#trim`, but drops many runs at once, which is faster. Written runs are older than the others, so they go
   * first.
   */
  #trimLater(): void {
    if (
      this.#transient + this.#later.length < this.#maxRuns + SPARE_RUNS &&
      this.#kept + this.#laterSize <= this.#maxEntries
    )
      return;
    while (this.#isFull) {
      const shown = this.#transient > 0 ? this.#oldestFinished() : undefined;
      const later = shown ? undefined : this.#takeFinished();
      if (shown) this.remove(shown);
      else if (later) this.#drop(later);
      else return;
    }
  }

  #takeFinished(): LaterRun | undefined {
    // Usually the first run has ended, and `shift` is faster than `splice`.
    if (this.#later[0]?.isRunning === false) return this.#later.shift();
    const index = this.#later.findIndex(({ isRunning }) => !isRunning);
    return index === -1 ? undefined : this.#later.splice(index, 1)[0];
  }

  get #isFull(): boolean {
    return this.#transient + this.#later.length > this.#maxRuns || this.#kept + this.#laterSize > this.#maxEntries;
  }

  #oldestFinished(): Run | undefined {
    for (const run of this.#runs.values()) if (run.summary.outcome !== "running" && isTransient(run)) return run;
    return undefined;
  }

  #drop(run: LaterRun): void {
    this.#laterSize -= run.size;
    for (const wire of run.wires) this.bodies.release(wire);
    run.drop();
  }

  /**
   * Drops the oldest finished runs that are in no file or database first, then entries of runs that can be read again,
   * then the oldest entries of the longest run.
   */
  #trim(): void {
    for (const run of this.#runs.values()) {
      if (this.#transient <= this.#maxRuns && this.#kept <= this.#maxEntries) return;
      if (run.summary.outcome !== "running" && isTransient(run)) this.remove(run);
    }
    if (this.#kept > this.#maxEntries) this.#forgetOldest();
  }

  #forgetOldest(): void {
    // Drops a tenth at once, so that not every new entry causes this work.
    const goal = this.#maxEntries * 0.9;
    const byLength = [...this.#runs.values()].sort((one, other) => other.kept - one.kept);
    const [longest] = byLength;
    for (const run of this.#runs.values()) {
      if (this.#kept <= goal) return;
      if (run.history && run !== longest) this.#forget(run, this.#kept - goal);
    }
    if (longest && this.#kept > goal) this.#forget(longest, Math.ceil(longest.kept / 10));
  }

  #forget(run: Run, count: number): void {
    run.forget(count);
    this.#count(run);
  }

  #count(run: Run): void {
    const { kept } = run;
    this.#kept += kept - (this.#counted.get(run) ?? 0);
    this.#counted.set(run, kept);
  }

  #change(run: Run, change: number | "run"): void {
    if (change !== "run") {
      this.#count(run);
      if (this.#kept > this.#maxEntries) this.#trim();
    }
    this.#notify(run, change);
  }

  #notify(run: Run, change: StoreChange): void {
    for (const listener of this.#listeners) listener(run, change);
  }
}

/** Whether the run exists in memory only: it is live or a fork. */
function isTransient({ summary: { source } }: Run): boolean {
  return source === "live" || source === "fork";
}

/** The most bytes of all bodies together. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Bounds the memory of recorded bodies by dropping the oldest. */
export class BodyBudget {
  readonly #max: number;
  /** The bytes of each request's bodies, the oldest first. */
  readonly #kept = new Map<Wire, number>();
  #total = 0;

  constructor(maxBytes: number = MAX_BODY_BYTES) {
    this.#max = maxBytes;
  }

  get total(): number {
    return this.#total;
  }

  /** Counts the current bodies of a request, which may have been counted before, and drops the oldest if needed. */
  keep(wire: Wire): void {
    const { size } = wire;
    this.#total += size - (this.#kept.get(wire) ?? 0);
    this.#kept.set(wire, size);
    if (this.#total > this.#max) this.#makeRoom();
  }

  /** Stops counting the bodies of a request that was removed. */
  release(wire: Wire): void {
    this.#total -= this.#kept.get(wire) ?? 0;
    this.#kept.delete(wire);
  }

  #makeRoom(): void {
    for (const [oldest, bytes] of this.#kept) {
      if (this.#total <= this.#max) return;
      oldest.drop();
      this.#kept.delete(oldest);
      this.#total -= bytes;
    }
  }
}

/** The most bytes of all cached parts, measured in their sources. */
const MAX_PART_BYTES = 16 * 1024 * 1024;

interface KeptPart {
  part: Promise<RunPart>;
  /** Its bytes in the source; 0 while it is being loaded. */
  size: number;
}

export class PartCache {
  readonly #max: number;
  /** By their keys; the one that was used most recently comes last. */
  readonly #parts = new Map<object, KeptPart>();
  #total = 0;

  constructor(maxBytes: number = MAX_PART_BYTES) {
    this.#max = maxBytes;
  }

  /** The bytes of all parts. */
  get total(): number {
    return this.#total;
  }

  /** Returns a cached part, or loads it. Concurrent calls share one load. A failed load is not cached. */
  get(key: object, load: () => Promise<{ part: RunPart; size: number }>): Promise<RunPart> {
    const known = this.#parts.get(key);
    this.#parts.delete(key);
    if (known) {
      this.#parts.set(key, known);
      return known.part;
    }
    const kept: KeptPart = { part: load().then(({ part, size }) => this.#keep(key, kept, part, size)), size: 0 };
    kept.part.catch(() => {
      if (this.#parts.get(key) === kept) this.#parts.delete(key);
    });
    this.#parts.set(key, kept);
    return kept.part;
  }

  /** Counts a loaded part, unless it was evicted while it was being loaded. */
  #keep(key: object, kept: KeptPart, part: RunPart, size: number): RunPart {
    if (this.#parts.get(key) !== kept) return part;
    kept.size = size;
    this.#total += size;
    for (const [oldest, { size: bytes }] of this.#parts) {
      if (this.#total <= this.#max) break;
      this.#parts.delete(oldest);
      this.#total -= bytes;
    }
    return part;
  }
}
