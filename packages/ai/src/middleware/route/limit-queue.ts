/** Queues requests until their limits permit them, first in, first out. */
import { AbortedError, ProviderError } from "../../errors.js";
import type { LimitStore, RouteLimit } from "./limit-store.js";
import type { RouteClock } from "./route-options.js";

/** The permission for one request. */
export interface Permit {
  /** How long the request waited, in milliseconds. */
  waitedMs: number;
  /** Must be called once, with the tokens that the request used; undefined if unknown. */
  release(tokens: number | undefined): void;
}

/** Runs an operation of a store that must not fail a response, even if the store throws instead of rejecting. */
export async function ignoreFailure(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {
    // The next `take` reports a store that cannot be reached.
  }
}

interface Place {
  /** Resolves when the previous request was permitted or has left the queue. */
  turn: Promise<void>;
  next(): void;
}

/** The queues of one route, one for each limit. */
export class LimitQueues {
  readonly #store: LimitStore;
  readonly #clock: RouteClock;
  readonly #maxLength: number;
  readonly #queues = new Map<string, { length: number; last: Promise<void> }>();

  constructor(store: LimitStore, clock: RouteClock, maxLength: number) {
    this.#store = store;
    this.#clock = clock;
    this.#maxLength = maxLength;
  }

  /** Whether other requests are waiting. */
  isBusy(key: string): boolean {
    return (this.#queues.get(key)?.length ?? 0) > 0;
  }

  /**
   * Permits a request if the limit has room now.
   *
   * @returns a permit, or the milliseconds after which to try again
   */
  async tryTake(key: string, tokens: number, limit: RouteLimit): Promise<Permit | number> {
    const wait = await this.#store.take(key, tokens, limit, this.#clock.now());
    return wait > 0 ? wait : this.#permit(key, tokens, limit, 0);
  }

  /**
   * Waits until the limit has room.
   *
   * @throws AbortedError when the signal is aborted; ProviderError of the kind `rate_limit` when the queue is full
   */
  async take(key: string, tokens: number, limit: RouteLimit, signal: AbortSignal): Promise<Permit> {
    const from = this.#clock.now();
    const place = this.#join(key);
    try {
      await place.turn;
      for (;;) {
        if (signal.aborted) throw new AbortedError();
        const wait = await this.#store.take(key, tokens, limit, this.#clock.now());
        if (wait <= 0) return this.#permit(key, tokens, limit, this.#clock.now() - from);
        await this.#clock.wait(wait, signal);
      }
    } finally {
      place.next();
    }
  }

  #join(key: string): Place {
    const queue = this.#queues.get(key) ?? { length: 0, last: Promise.resolve() };
    if (queue.length >= this.#maxLength) {
      const message = `${queue.length} requests wait for the limit of ${key}: the queue is full`;
      throw new ProviderError({ kind: "rate_limit", message });
    }
    this.#queues.set(key, queue);
    const turn = queue.last;
    let pass = (): void => {};
    queue.length++;
    queue.last = new Promise((resolve) => {
      pass = resolve;
    });
    return {
      turn,
      next: () => {
        queue.length--;
        if (queue.length === 0) this.#queues.delete(key);
        // A request that leaves early still passes its turn on.
        void turn.then(pass);
      },
    };
  }

  #permit(key: string, taken: number, limit: RouteLimit, waitedMs: number): Permit {
    let isOpen = true;
    return {
      waitedMs,
      release: (tokens) => {
        if (!isOpen) return;
        isOpen = false;
        void ignoreFailure(() => this.#store.release(key, (tokens ?? taken) - taken, limit, this.#clock.now()));
      },
    };
  }
}
