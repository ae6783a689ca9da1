/**
 * Waiting that an abort ends. Whatever a run waits for, it waits for here, so that no tool, hook, stream or listener can
 * hold up an abort.
 */

/**
 * How long after an abort a stream may still end in its own words and a listener may still finish, in milliseconds.
 * Short enough for an abort to settle within 20 ms on a busy machine.
 */
export const ABORT_GRACE_MS = 5;

/** Thrown to who waits when the run is aborted. Never leaves the package. */
export class OperationAborted extends Error {
  constructor() {
    super("Operation aborted");
  }
}

/** Ends a wait. */
type Stop = (error: OperationAborted) => void;

/** One for each run; holds the only listener that the run has on its signal. */
export class AbortGate {
  readonly signal: AbortSignal | undefined;
  readonly #strict = new Set<Stop>();
  readonly #lenient = new Set<Stop>();
  #graceTimer: ReturnType<typeof setTimeout> | undefined;
  #graceOver = false;

  constructor(signal: AbortSignal | undefined) {
    this.signal = signal;
    if (signal?.aborted) this.#onAbort();
    else signal?.addEventListener("abort", this.#onAbort);
  }

  get aborted(): boolean {
    return this.signal?.aborted ?? false;
  }

  /** Whether the run was aborted and nobody may take any more time. */
  get graceOver(): boolean {
    return this.#graceOver;
  }

  /** @throws OperationAborted when the run is aborted */
  check(): void {
    if (this.aborted) throw new OperationAborted();
  }

  /**
   * Waits for a value; gives it back at once where there is nothing to wait for, which is the common case and far cheaper.
   *
   * @throws OperationAborted as soon as the run is aborted
   */
  wait<TValue>(value: TValue | PromiseLike<TValue>): TValue | Promise<TValue> {
    if (isPromiseLike(value)) return this.#race(value, this.#strict, this.aborted);
    this.check();
    return value;
  }

  /** Waits for a value. Throws {@link OperationAborted} {@link ABORT_GRACE_MS} after the run was aborted. */
  waitWithGrace<TValue>(value: PromiseLike<TValue>): Promise<TValue> {
    return this.#race(value, this.#lenient, this.#graceOver);
  }

  /** Waits for somebody who only watches: returns at the latest {@link ABORT_GRACE_MS} after the run was aborted. */
  async waitForObserver(value: PromiseLike<void>): Promise<void> {
    try {
      await this.waitWithGrace(value);
    } catch (error) {
      if (!(error instanceof OperationAborted)) throw error;
    }
  }

  /** Lets go of the signal. */
  close(): void {
    this.signal?.removeEventListener("abort", this.#onAbort);
    clearTimeout(this.#graceTimer);
  }

  readonly #onAbort = (): void => {
    this.#graceTimer = setTimeout(() => {
      this.#graceOver = true;
      release(this.#lenient);
    }, ABORT_GRACE_MS);
    release(this.#strict);
  };

  #race<TValue>(value: PromiseLike<TValue>, waiting: Set<Stop>, over: boolean): Promise<TValue> {
    const settled = Promise.resolve(value);
    if (over) {
      settled.catch(() => {});
      return Promise.reject(new OperationAborted());
    }
    if (!this.signal) return settled;
    return new Promise((resolve, reject) => {
      waiting.add(reject);
      settled.then(
        (result) => {
          waiting.delete(reject);
          resolve(result);
        },
        (error: unknown) => {
          waiting.delete(reject);
          reject(error);
        },
      );
    });
  }
}

/** Whether a caller's function gave something to wait for. */
export function isPromiseLike<TValue>(value: TValue | PromiseLike<TValue>): value is PromiseLike<TValue> {
  if (typeof value !== "object" || value === null) return false;
  return value instanceof Promise || ("then" in value && typeof value.then === "function");
}

function release(waiting: Set<Stop>): void {
  for (const stop of waiting) stop(new OperationAborted());
  waiting.clear();
}
