/** The runs that the page can show. Bounded: the oldest finished runs give way to new ones. */
import { BodyBudget } from "./body-budget.js";
import type { Launcher } from "./launcher.js";
import type { Run } from "./run.js";

/** How much is kept, and whether runs can be forked. */
export interface StoreLimits {
  /** Default 500. */
  runs?: number;
  /** Over all runs. A run that is under way keeps its newest entries. Default 200,000. */
  entries?: number;
  /** Sends the requests of forks of runs that have no launcher of their own. */
  launcher?: Launcher | undefined;
}

/** Called with a run and the index of its entry that changed; -1 for the run itself, -2 for a run that was dropped. */
export type StoreListener = (run: Run, index: number) => void;

export class RunStore {
  /** Bounds what is kept of the wire. */
  readonly bodies: BodyBudget = new BodyBudget();
  readonly #runs = new Map<string, Run>();
  readonly #listeners = new Set<StoreListener>();
  /** How many entries are kept, in all runs and in each. */
  #kept = 0;
  readonly #counted = new Map<Run, number>();
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
    return [...this.#runs.values()];
  }

  get(id: string): Run | undefined {
    return this.#runs.get(id);
  }

  add(run: Run): void {
    run.launcher ??= this.#launcher;
    this.#runs.set(run.summary.id, run);
    run.onChange = (index) => this.#change(run, index);
    this.#count(run);
    this.#trim();
    this.#notify(run, -1);
  }

  /** Takes a run out whose source is gone. */
  remove(run: Run): void {
    if (this.#runs.get(run.summary.id) !== run) return;
    this.#runs.delete(run.summary.id);
    this.#kept -= this.#counted.get(run) ?? 0;
    this.#counted.delete(run);
    run.onChange = () => {};
    this.#notify(run, -2);
  }

  subscribe(listener: StoreListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Finished runs go first, the oldest before the others; then the oldest entries of the longest run under way. */
  #trim(): void {
    for (const run of this.#runs.values()) {
      if (this.#runs.size <= this.#maxRuns && this.#kept <= this.#maxEntries) return;
      if (run.summary.outcome !== "running") this.remove(run);
    }
    if (this.#kept <= this.#maxEntries) return;
    const [longest] = [...this.#runs.values()].sort((one, other) => other.kept - one.kept);
    // A part at once, so that the work for each new entry stays small.
    longest?.forget(Math.ceil(longest.kept / 10));
    if (longest) this.#count(longest);
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
