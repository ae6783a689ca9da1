/** The readers that wait for more events, grouped by run. */

/** A reader that has read a run up to an offset. */
interface Waiter {
  offset: number;
  wake: () => void;
}

export class Waiters {
  readonly #runs = new Map<string, Set<Waiter>>();

  get size(): number {
    return this.#runs.size;
  }

  /** The runs with waiting readers, each with the lowest offset. */
  entries(): [runId: string, offset: number][] {
    return [...this.#runs].map(([runId, waiters]) => [runId, Math.min(...[...waiters].map(({ offset }) => offset))]);
  }

  /** Resolves when `wake` is called for the run or the signal aborts. Calls `begin` once the reader is registered. */
  wait(runId: string, offset: number, { signal, begin }: { signal: AbortSignal; begin: () => void }): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiters = this.#runs.get(runId) ?? new Set();
      this.#runs.set(runId, waiters);
      const waiter: Waiter = {
        offset,
        wake: () => {
          signal.removeEventListener("abort", waiter.wake);
          waiters.delete(waiter);
          if (waiters.size === 0 && this.#runs.get(runId) === waiters) this.#runs.delete(runId);
          resolve();
        },
      };
      waiters.add(waiter);
      signal.addEventListener("abort", waiter.wake);
      begin();
    });
  }

  wake(runId: string): void {
    for (const { wake } of [...(this.#runs.get(runId) ?? [])]) wake();
  }

  wakeAll(): void {
    for (const runId of [...this.#runs.keys()]) this.wake(runId);
  }
}
