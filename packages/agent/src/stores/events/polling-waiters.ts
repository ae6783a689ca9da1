/** Polls for new events on behalf of all waiting readers. The timer runs only while readers wait. */
import { Waiters } from "./waiters.js";

/** Returns the runs that have events after the given offset. */
type FindGrown = (waiting: readonly (readonly [runId: string, offset: number])[]) => Promise<string[]>;

export class PollingWaiters {
  readonly #findGrown: FindGrown;
  readonly #pollMs: number;
  readonly #waiters = new Waiters();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(findGrown: FindGrown, pollMs: number) {
    this.#findGrown = findGrown;
    this.#pollMs = pollMs;
  }

  wait(runId: string, offset: number, signal: AbortSignal): Promise<void> {
    return this.#waiters.wait(runId, offset, { signal, begin: () => this.#schedule() });
  }

  wake(runId: string): void {
    this.#waiters.wake(runId);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiters.wakeAll();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void this.#look(), this.#pollMs);
  }

  async #look(): Promise<void> {
    try {
      const waiting = this.#waiters.entries();
      if (waiting.length > 0) for (const runId of await this.#findGrown(waiting)) this.#waiters.wake(runId);
    } catch {
      // Wakes all readers: each fetches its events, and that request throws the error.
      this.#waiters.wakeAll();
    } finally {
      this.#timer = undefined;
      if (this.#waiters.size > 0) this.#schedule();
    }
  }
}
