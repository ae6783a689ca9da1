/** The runs that the page can show. Bounded: the oldest finished runs give way to new ones. */
import { BodyBudget } from "./body-budget.js";
import type { Launcher } from "./launcher.js";
import type { Run } from "./run.js";

/** How much is kept, and whether runs can be forked. */
export interface StoreLimits {
  /** Default 500. */
  runs?: number;
  /** Over all runs. A run that is under way is always kept. Default 200,000. */
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
    run.onChange = (index) => this.#notify(run, index);
    this.#trim();
    this.#notify(run, -1);
  }

  subscribe(listener: StoreListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #trim(): void {
    let entries = this.runs.reduce((sum, run) => sum + run.entries.length, 0);
    for (const [id, run] of this.#runs) {
      if (this.#runs.size <= this.#maxRuns && entries <= this.#maxEntries) return;
      if (run.summary.outcome === "running") continue;
      this.#runs.delete(id);
      run.onChange = () => {};
      entries -= run.entries.length;
      this.#notify(run, -2);
    }
  }

  #notify(run: Run, index: number): void {
    for (const listener of this.#listeners) listener(run, index);
  }
}
