/** Tracks compactions and the runs repeated after them, and lets callers wait for both. */

const CLOSED = "The subscription has ended";

export class CompactionGate {
  #inFlight = false;
  #pendingRetries = 0;
  #count = 0;
  #closed = false;
  #waiting: PromiseWithResolvers<void> | undefined;

  get isInFlight(): boolean {
    return this.#inFlight;
  }

  get isBusy(): boolean {
    return this.#inFlight || this.#pendingRetries > 0;
  }

  /** The number of completed compactions. */
  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#inFlight = true;
    this.#ensurePromise();
  }

  end({ completed, willRetry }: { completed: boolean; willRetry: boolean }): void {
    this.#inFlight = false;
    if (completed) this.#count++;
    if (willRetry) {
      this.#pendingRetries++;
      this.#ensurePromise();
    } else {
      this.#resolveIfIdle();
    }
  }

  /** A run has ended: the repeated one if one was expected. */
  endRun(): void {
    if (this.#pendingRetries > 0) this.#pendingRetries--;
    this.#resolveIfIdle();
  }

  /**
   * Resolves when idle; checks again after a microtask, because a compaction may begin right after a run. Rejects with an
   * `AbortError` when the subscription ends, without an unhandled rejection.
   */
  wait(): Promise<void> {
    const promise = this.#wait();
    promise.catch(() => {});
    return promise;
  }

  /** Rejects pending waits: a cancelled wait must not look like success. */
  close(): void {
    this.#closed = true;
    this.#waiting?.reject(createAbortError(CLOSED));
    this.#waiting = undefined;
  }

  async #wait(): Promise<void> {
    if (!this.#closed && !this.isBusy) await Promise.resolve();
    if (this.#closed) throw createAbortError(CLOSED);
    // It may have become busy again before this is reached.
    while (this.isBusy) {
      if (this.#closed) throw createAbortError(CLOSED);
      await this.#ensurePromise();
    }
  }

  #ensurePromise(): Promise<void> {
    if (!this.#waiting) {
      this.#waiting = Promise.withResolvers<void>();
      // A rejection without a waiter must not end the process.
      this.#waiting.promise.catch(() => {});
    }
    return this.#waiting.promise;
  }

  #resolveIfIdle(): void {
    if (this.isBusy) return;
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }
}

/** A `DOMException` where the runtime has it; its name is `AbortError` in any case. */
function createAbortError(message: string): Error {
  if (typeof DOMException === "function") return new DOMException(message, "AbortError");
  const error = new Error(message);
  error.name = "AbortError";
  return error;
}
