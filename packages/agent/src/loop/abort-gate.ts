/** Waits that end when the run is aborted, and what can be waited for. Every wait of a run goes through here. */
import { AbortedError } from "pi-ai/call";

/**
 * How long after an abort a stream may still send its final event and a listener may still finish, in milliseconds.
 * Short enough for an abort to settle within 20 ms on a busy machine.
 */
export const ABORT_GRACE_MS = 5;

/** Rejects a wait when the run is aborted. Only `wrapToolCall` and `wrapModelCall` see it, as an `AbortedError`. */
export class OperationAborted extends AbortedError {
  constructor() {
    super("Operation aborted");
  }
}

/** Rejects a wait. */
type Stop = (error: OperationAborted) => void;

/** Created once per run; holds the only listener that the run has on its signal. */
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

  /** Whether the run was aborted and the grace period is over. */
  get graceOver(): boolean {
    return this.#graceOver;
  }

  /** @throws OperationAborted when the run is aborted */
  check(): void {
    if (this.aborted) throw new OperationAborted();
  }

  /**
   * Waits for a promise; returns any other value at once, which is the common case and far cheaper.
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

  /** Waits for an observer. Returns at most {@link ABORT_GRACE_MS} after the run was aborted. */
  async waitForObserver(value: PromiseLike<void>): Promise<void> {
    try {
      await this.waitWithGrace(value);
    } catch (error) {
      if (!(error instanceof OperationAborted)) throw error;
    }
  }

  /** Removes the listener from the signal. */
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

/**
 * Whether a step has to be awaited. The steps of a turn return a promise only if there is something to wait for, and
 * callers await only a promise: `await` on a plain value costs a turn of the microtask queue, and a run has many steps.
 */
export function isPending(step: unknown): step is Promise<unknown> {
  return step instanceof Promise;
}

/** Keeps the rejection of a promise from counting as unhandled, for a promise that an application may drop. */
export function ignoreIfUnused<TValue>(promise: Promise<TValue>): Promise<TValue> {
  promise.catch(() => {});
  return promise;
}

/** Whether a value is a promise or another thenable. */
export function isPromiseLike<TValue>(value: TValue | PromiseLike<TValue>): value is PromiseLike<TValue> {
  if (typeof value !== "object" || value === null) return false;
  return value instanceof Promise || ("then" in value && typeof value.then === "function");
}

function release(waiting: Set<Stop>): void {
  for (const stop of waiting) stop(new OperationAborted());
  waiting.clear();
}
