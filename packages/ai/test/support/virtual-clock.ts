/** A clock whose time advances only while all work waits. */
import type { RouteClock } from "pi-ai/route";

interface Timer {
  at: number;
  order: number;
  ring: () => void;
}

export class VirtualClock implements RouteClock {
  #now = 0;
  #order = 0;
  #timers: Timer[] = [];

  now(): number {
    return this.#now;
  }

  date(): number {
    return this.#now;
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const timer = this.at(this.#now + ms, resolve);
      signal.addEventListener("abort", () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
        resolve();
      });
    });
  }

  /** Calls back at a time. */
  at(time: number, ring: () => void): Timer {
    const timer = { at: time, order: this.#order++, ring };
    this.#timers.push(timer);
    return timer;
  }

  /** Advances the time until the work is done. */
  async runUntil(work: Promise<unknown>): Promise<void> {
    let done = false;
    const end = (): void => {
      done = true;
    };
    work.then(end, end);
    while (!done) {
      await settle();
      if (!done) this.#ringNext();
    }
  }

  /** Advances the time. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settle();
    while (this.#timers.some(({ at }) => at <= until)) {
      this.#ringNext();
      await settle();
    }
    this.#now = until;
  }

  #ringNext(): void {
    const next = this.#timers.toSorted((a, b) => a.at - b.at || a.order - b.order)[0];
    if (!next) throw new Error("Nothing is left to wait for");
    this.#timers = this.#timers.filter((timer) => timer !== next);
    this.#now = Math.max(this.#now, next.at);
    next.ring();
  }
}

/** Runs all work that does not wait for time. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
