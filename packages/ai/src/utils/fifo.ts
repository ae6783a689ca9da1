/** A queue that is read in the order in which it was written. `shift` of a long list would move all that follow, each time. */
export class Fifo<TItem> {
  #written: TItem[] = [];
  /** Those that are read next, the last one first. */
  #next: TItem[] = [];

  /** How many items are left. */
  get length(): number {
    return this.#written.length + this.#next.length;
  }

  /** The newest item; undefined if none is left. */
  get last(): TItem | undefined {
    return this.#written.length > 0 ? this.#written.at(-1) : this.#next[0];
  }

  /** Adds an item. */
  push(item: TItem): void {
    this.#written.push(item);
  }

  /** Removes the oldest item and returns it; undefined if none is left. */
  take(): TItem | undefined {
    if (this.#next.length === 0) [this.#next, this.#written] = [this.#written.reverse(), this.#next];
    return this.#next.pop();
  }

  /** Removes all items. */
  clear(): void {
    this.#written = [];
    this.#next = [];
  }
}
