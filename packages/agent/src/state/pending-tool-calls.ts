/** The ids of the running tool calls. Mutable, because a new set for each call would be quadratic. */
export class PendingToolCalls {
  readonly #ids = new Set<string>();
  #snapshot: ReadonlySet<string> | undefined;

  /** The ids as an immutable set. Created on demand, and reused until the next change. */
  get snapshot(): ReadonlySet<string> {
    this.#snapshot ??= new Set(this.#ids);
    return this.#snapshot;
  }

  add(id: string): void {
    this.#ids.add(id);
    this.#snapshot = undefined;
  }

  delete(id: string): void {
    this.#ids.delete(id);
    this.#snapshot = undefined;
  }

  clear(): void {
    this.#ids.clear();
    this.#snapshot = undefined;
  }
}
