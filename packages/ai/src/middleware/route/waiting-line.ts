/** The requests that wait for a lane: first come, first served. */
import type { RouteClock } from "./route-options.js";

/** A request's place in the line. It must be left. */
export interface Place {
  readonly isFirst: boolean;
  /** Waits until the place is first, a request of the route has ended, or the time has come; or until the signal aborts. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  leave(): void;
}

export class WaitingLine {
  readonly #clock: RouteClock;
  /** How to wake each waiting request. */
  readonly #places = new Set<{ ring: () => void }>();
  /** When a lane of the route last began to respond. */
  respondedAt = 0;

  constructor(clock: RouteClock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  join(): Place {
    const own = { ring: (): void => {} };
    this.#places.add(own);
    const isFirst = (): boolean => this.#first === own;
    return {
      get isFirst() {
        return isFirst();
      },
      pause: async (ms, signal) => {
        const woken = new AbortController();
        const ring = (): void => woken.abort();
        own.ring = ring;
        signal.addEventListener("abort", ring, { once: true });
        if (signal.aborted) ring();
        // Only the first looks at the clock; the others wait for their turn.
        if (isFirst()) await this.#clock.wait(ms, woken.signal);
        else await whenAborted(woken.signal);
        signal.removeEventListener("abort", ring);
      },
      leave: () => {
        this.#places.delete(own);
        this.wake();
      },
    };
  }

  /** Lets the first request look again for an open lane. */
  wake(): void {
    this.#first?.ring();
  }

  get #first(): { ring: () => void } | undefined {
    const next = this.#places.values().next();
    return next.done ? undefined : next.value;
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
