/** Bounds the memory of the bodies that are kept: the oldest give way to new ones. */
import type { Wire } from "./wire.js";

/** Bytes of all bodies. */
const MAX_BYTES = 64 * 1024 * 1024;

export class BodyBudget {
  readonly #max: number;
  /** The bytes of each, the oldest first. */
  readonly #kept = new Map<Wire, number>();
  #total = 0;

  constructor(maxBytes: number = MAX_BYTES) {
    this.#max = maxBytes;
  }

  get total(): number {
    return this.#total;
  }

  /** Counts the bodies of a request again, and makes room. */
  keep(wire: Wire): void {
    const { size } = wire;
    this.#total += size - (this.#kept.get(wire) ?? 0);
    this.#kept.set(wire, size);
    if (this.#total > this.#max) this.#makeRoom();
  }

  /** Counts the bodies of a request no longer, because nothing shows it any more. */
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
