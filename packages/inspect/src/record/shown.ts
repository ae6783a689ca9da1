/** Knows what runs show already, so that nothing else lists it. */
import { type Fields, fieldsOf } from "./fields.js";

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

  hasRequest(request: Fields): boolean {
    const signal = signalOf(request);
    return this.#carriers.has(request) || (signal !== undefined && this.#carriers.has(signal));
  }

  /** Spans may start before a watch has seen the beginning of their run. */
  hasSpan(span: Fields): boolean {
    const signal = signalOf(span);
    if (!signal) return false;
    return this.#carriers.has(signal) || [...this.#watches].some((shows) => shows(signal));
  }
}

/** The signal that a request or a span carries. */
export function signalOf(carrier: unknown): object | undefined {
  const { signal } = fieldsOf(carrier);
  return typeof signal === "object" && signal !== null ? signal : undefined;
}
