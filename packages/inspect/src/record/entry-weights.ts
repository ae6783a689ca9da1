/** What the kept entries of a run count for the limit of entries. */

const BYTES = 4096;

export class EntryWeights {
  /** The number of bytes of entries in their source. */
  readonly #bytes = new Map<number, number>();
  #total = 0;

  /** An entry counts once, and once more for every 4096 bytes in its source. */
  get total(): number {
    return this.#total;
  }

  add(): void {
    this.#total++;
  }

  /** Adds to the number of bytes that an entry has in its source. */
  weigh(index: number, bytes: number): void {
    const before = this.#bytes.get(index) ?? 0;
    this.#bytes.set(index, before + bytes);
    this.#total += Math.floor((before + bytes) / BYTES) - Math.floor(before / BYTES);
  }

  drop(index: number): void {
    this.#total -= 1 + Math.floor((this.#bytes.get(index) ?? 0) / BYTES);
    this.#bytes.delete(index);
  }
}
