/** Limits how many calls of a tool run at the same time. */

export class ChildSlots {
  #free: number;
  /** The functions that let the waiting calls continue, in order of arrival. */
  readonly #waiting = new Set<() => void>();

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Waits for a slot. Rejects with the reason of the signal if it aborts first. */
  async take(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const slot = Promise.withResolvers<void>();
    const leave = (): void => {
      this.#waiting.delete(slot.resolve);
      slot.reject(signal?.reason);
    };
    this.#waiting.add(slot.resolve);
    signal?.addEventListener("abort", leave, { once: true });
    try {
      await slot.promise;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  /** Passes the slot to the next waiting call. */
  release(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next();
      return;
    }
    this.#free++;
  }
}
