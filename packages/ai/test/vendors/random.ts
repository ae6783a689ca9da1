/** Random choices that a seed repeats. */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 0x9e3779b1 + 0x7f4a7c15) >>> 0;
  }

  /** From 0 to 1, which is left out (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** From 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** @throws Error for an empty list */
  pick<TItem>(items: readonly TItem[]): TItem {
    const item = items[this.below(items.length)];
    if (item === undefined && items.length === 0) throw new Error("Nothing to choose from");
    return item as TItem; // the index is within the list
  }

  /** Some of the items, in their order. */
  some<TItem>(items: readonly TItem[], share = 0.5): TItem[] {
    return items.filter(() => this.chance(share));
  }

  list<TItem>(most: number, make: (index: number) => TItem): TItem[] {
    return Array.from({ length: this.below(most + 1) }, (_, index) => make(index));
  }
}
