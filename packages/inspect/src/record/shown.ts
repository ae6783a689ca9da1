/** Knows what runs show already, so that nothing else lists it. */

export class Shown {
  readonly #carriers = new WeakSet<object>();
  readonly #watches = new Set<(signal: object) => boolean>();

  /** @param carrier a request, or the signal of a run */
  add(carrier: object): void {
    this.#carriers.add(carrier);
  }

  /**
   * @param shows whether a run that is watched, and is under way, has a signal
   * @returns a function that stops asking
   */
  watch(shows: (signal: object) => boolean): () => void {
    this.#watches.add(shows);
    return () => void this.#watches.delete(shows);
  }

  /** Whether a request is shown, by itself or by the signal that it carries. */
  hasRequest(request: object, signal: object | undefined): boolean {
    return this.#carriers.has(request) || (signal !== undefined && this.#carriers.has(signal));
  }

  /** Spans may start before a watch has seen the beginning of their run. */
  hasSpan(signal: object | undefined): boolean {
    if (!signal) return false;
    return this.#carriers.has(signal) || [...this.#watches].some((shows) => shows(signal));
  }
}
