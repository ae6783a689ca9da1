/** The runs that the page can show. Bounded: the oldest finished runs give way to new ones. */
import { BodyBudget } from "./body-budget.js";
import type { Launcher } from "./launcher.js";
import { PartCache } from "./part-cache.js";
import type { Run } from "./run.js";
import { Shown } from "./shown.js";
import { Wire } from "./wire.js";

/** How much is kept, and whether runs can be forked. */
export interface StoreLimits {
  /** Those that are live or forks; those of a place stay in the list. Default 500. */
  runs?: number;
  /**
   * Over all runs; a long entry of a log counts more than once. A run that is under way keeps its newest entries, and one
   * that can be read again stays in the list without them. Default 200,000.
   */
  entries?: number;
  /** Sends the requests of forks of runs that have no launcher of their own. */
  launcher?: Launcher | undefined;
}

/** A run that is not written out before something shows it. */
export interface LaterRun {
  readonly isRunning: boolean;
  /** At least the number of its entries. */
  readonly size: number;
  /** The requests whose bodies it keeps. */
  readonly wires: readonly Wire[];
  /** Adds the run to the store. */
  show(): void;
  /** It has given way to newer runs. */
  drop(): void;
}

/** So many more runs than the limit are kept before they are shown. */
const SPARE_RUNS = 50;

/** How many sessions a place has, and how many of them are in the list of runs. */
export interface SessionCounts {
  shown: number;
  total: number;
}

/** The sessions of a place that holds more than the list of runs does. All reject with the error of the place. */
export interface SessionList {
  counts(): Promise<SessionCounts>;
  /** Adds the next older sessions to the list of runs. */
  showMore(): Promise<void>;
  /** Adds the sessions whose names hold a text. Resolves with how many there are, at most 100. */
  find(text: string): Promise<number>;
  /** Adds the session of a run that is not in the list, if there is one. */
  open(run: string): Promise<Run | undefined>;
}

/**
 * Called with a run and the index of its entry that changed; -1 for the run itself, -2 for a run that was dropped, -3 for one
 * that was added as the oldest.
 */
export type StoreListener = (run: Run, index: number) => void;

export class RunStore {
  /** Bounds what is kept of the wire. */
  readonly bodies: BodyBudget = new BodyBudget();
  /** The requests and spans that runs show already. */
  readonly shown: Shown = new Shown();
  /** What was read again. */
  readonly parts: PartCache = new PartCache();
  /** Absent where all runs are in the list. */
  sessions: SessionList | undefined;
  #runs = new Map<string, Run>();
  readonly #listeners = new Set<StoreListener>();
  /** How many runs are live or forks. */
  #transient = 0;
  /** How many entries are kept, in all runs and in each. */
  #kept = 0;
  readonly #counted = new Map<Run, number>();
  /** The runs that nothing has shown yet, the oldest first. All of them are newer than those in `#runs`. */
  #later: LaterRun[] = [];
  /** The sizes of those that have ended. */
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

  /** Adds a run when something looks at the store; now, if something does. */
  addLater(run: LaterRun): void {
    this.#later.push(run);
    if (this.#listeners.size > 0) this.showAll();
    else this.#trimLater();
  }

  /** Counts a run that was added with `addLater` and has ended. */
  endLater(run: LaterRun): void {
    this.#laterSize += run.size;
    this.#trimLater();
  }

  /** Writes all runs out. */
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
    run.onChange = (index) => this.#change(run, index);
    this.#count(run);
    this.#trim();
    this.#notify(run, isOldest ? -3 : -1);
  }

  /** Takes a run out whose source is gone. */
  remove(run: Run): void {
    if (this.#runs.get(run.summary.id) !== run) return;
    this.#runs.delete(run.summary.id);
    if (isTransient(run)) this.#transient--;
    this.#kept -= this.#counted.get(run) ?? 0;
    this.#counted.delete(run);
    run.onChange = () => {};
    for (const part of run.described) if (part instanceof Wire) this.bodies.release(part);
    this.#notify(run, -2);
  }

  subscribe(listener: StoreListener): () => void {
    this.showAll();
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** As `#trim`, but many at once, which is faster. Runs that were shown are older than those that were not. */
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
    // Most often it is the first, and `shift` takes it out without moving the others.
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
   * Finished runs that no place holds go first, the oldest before the others; then the entries of runs that can be read
   * again; then the oldest entries of the longest run.
   */
  #trim(): void {
    for (const run of this.#runs.values()) {
      if (this.#transient <= this.#maxRuns && this.#kept <= this.#maxEntries) return;
      if (run.summary.outcome !== "running" && isTransient(run)) this.remove(run);
    }
    if (this.#kept > this.#maxEntries) this.#forgetOldest();
  }

  #forgetOldest(): void {
    // A part at once, so that the work for each new entry stays small.
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

  #change(run: Run, index: number): void {
    if (index >= 0) {
      this.#count(run);
      if (this.#kept > this.#maxEntries) this.#trim();
    }
    this.#notify(run, index);
  }

  #notify(run: Run, index: number): void {
    for (const listener of this.#listeners) listener(run, index);
  }
}

/** Whether no place holds the run. */
function isTransient({ summary: { source } }: Run): boolean {
  return source === "live" || source === "fork";
}
