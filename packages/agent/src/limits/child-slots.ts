/** Bounds how many agents a tool runs at the same time. */

export class ChildSlots {
  #free: number;
  /** The first one is served first. */
  readonly #waiting = new Set<() => void>();

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Waits for a slot. Rejects with the reason of the signal when it is aborted before. */
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

  /** Passes the slot on. */
  release(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next();
      return;
    }
    this.#free++;
  }
}
