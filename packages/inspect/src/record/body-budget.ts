/** Bounds the memory of recorded bodies by dropping the oldest. */
import type { Wire } from "./wire.js";

/** The most bytes of all bodies together. */
const MAX_BYTES = 64 * 1024 * 1024;

export class BodyBudget {
  readonly #max: number;
  /** The bytes of each request's bodies, the oldest first. */
  readonly #kept = new Map<Wire, number>();
  #total = 0;

  constructor(maxBytes: number = MAX_BYTES) {
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
