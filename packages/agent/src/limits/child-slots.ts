/** Limits how many agents a tool runs at the same time. */

export class ChildSlots {
  #free: number;
  /** Served first in, first out. */
  readonly #waiting = new Set<() => void>();

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Waits for a slot. Rejects with the reason of the signal if that aborts first. */
  async take(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const turn = Promise.withResolvers<void>();
    const leave = (): void => {
      this.#waiting.delete(turn.resolve);
      turn.reject(signal?.reason);
    };
    this.#waiting.add(turn.resolve);
    signal?.addEventListener("abort", leave, { once: true });
    try {
      await turn.promise;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  /** Passes the slot to the next waiter. */
  release(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next();
      return;
    }
    this.#free++;
  }
}
