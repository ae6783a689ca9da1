/** Lets requests through one at a time, in the order in which they came, as their limits permit. */
import { AbortedError, ProviderError } from "../errors.js";
import type { LimitStore, RouteLimit } from "./limit-store.js";
import type { RouteClock } from "./route-options.js";

/** A request that was let through. */
export interface Permit {
  /** How long the request waited, in milliseconds. */
  waitedMs: number;
  /** Has to be called once, with the tokens that the request used; undefined if that is not known. */
  release(tokens: number | undefined): void;
}

interface Place {
  /** The request before this one has been let through, or has left. */
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

  /** Whether a request would have to wait behind another. */
  isBusy(key: string): boolean {
    return (this.#queues.get(key)?.length ?? 0) > 0;
  }

  /**
   * Takes a request if there is room now.
   *
   * @returns a permit, or the milliseconds after which to ask again
   */
  async tryTake(key: string, tokens: number, limit: RouteLimit): Promise<Permit | number> {
    const wait = await this.#store.take(key, tokens, limit, this.#clock.now());
    return wait > 0 ? wait : this.#permit(key, tokens, limit, 0);
  }

  /**
   * Waits until there is room.
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
        // One that leaves early passes its turn on when it comes.
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
        // The counts of a store that cannot be reached must not fail a response that is complete.
        void Promise.resolve(this.#store.release(key, (tokens ?? taken) - taken, limit, this.#clock.now())).catch(
          () => {},
        );
      },
    };
  }
}
