/** Waits that end when the run is aborted, and what can be waited for. Every wait of a run goes through here. */
import { AbortedError, startTimer } from "pi-ai/call";

/**
 * How long after an abort a stream may still send its final event and a listener may still finish, in milliseconds.
 * Short enough for an abort to settle within 20 ms on a busy machine.
 */
export const ABORT_GRACE_MS = 5;

/** One tick of the microtask queue for whoever awaits it: a client that queues its own work keeps pace. */
export const ONE_TICK: Promise<void> = Promise.resolve();

/**
 * Rejects a wait when the run is aborted. Hooks around calls, and middleware that waits through its `MiddlewareRun`, see it as
 * an `AbortedError`.
 */
export class OperationAborted extends AbortedError {
  constructor() {
    super("Operation aborted");
  }
}

/** A wait with a limit of time. */
export interface WaitLimit<TValue> {
  /** 0 and `Infinity` mean no limit. */
  milliseconds: number;
  /** Returns what the wait resolves with when the time is up, or throws what it rejects with. */
  onTimeout: () => TValue;
}

/** Rejects a wait. */
type Stop = (error: OperationAborted) => void;

/** Created once for the runs of a prompt; holds the only listener that they have on its signal. */
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

  /** Waits for a value. Rejects with {@link OperationAborted} as soon as the run is aborted. */
  wait<TValue>(value: TValue | PromiseLike<TValue>): Promise<TValue> {
    const pending = isPromiseLike(value) ? value : Promise.resolve(value);
    return this.#race(pending, this.#strict, this.aborted);
  }

  /** Waits for a value. After an abort it has a short grace period, so that what ends by itself is kept. */
  waitWithGrace<TValue>(value: PromiseLike<TValue>): Promise<TValue> {
    return this.#race(value, this.#lenient, this.#graceOver);
  }

  /** Calls a function and waits for it. After an abort it returns nothing, for a caller whose run ends anyway. */
  async waitUnlessAborted<TValue>(call: () => TValue | PromiseLike<TValue>): Promise<TValue | undefined> {
    try {
      this.check();
      return await this.wait(call());
    } catch (error) {
      if (error instanceof OperationAborted) return undefined;
      throw error;
    }
  }

  /** Waits for an observer. Returns at most {@link ABORT_GRACE_MS} after the run was aborted. */
  async waitForObserver(value: PromiseLike<void>): Promise<void> {
    try {
      await this.waitWithGrace(value);
    } catch (error) {
      if (!(error instanceof OperationAborted)) throw error;
    }
  }

  /** {@link AbortGate.wait} with a limit of time. */
  async waitAtMost<TValue>(value: PromiseLike<TValue>, limit: WaitLimit<TValue>): Promise<TValue> {
    return withLimit(value, limit, (limited) => this.wait(limited));
  }

  /** {@link AbortGate.waitWithGrace} with a limit of time. */
  async waitAtMostWithGrace<TValue>(value: PromiseLike<TValue>, limit: WaitLimit<TValue>): Promise<TValue> {
    return withLimit(value, limit, (limited) => this.waitWithGrace(limited));
  }

  /** Waits for a time in milliseconds. Rejects with {@link OperationAborted} as soon as the run is aborted. */
  async sleep(milliseconds: number): Promise<void> {
    this.check();
    const never = new Promise<void>(() => {});
    if (milliseconds > 0) await this.waitAtMost(never, { milliseconds, onTimeout: () => undefined });
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

/** The timer ends with the wait, so that none of them keeps a process alive. */
async function withLimit<TValue>(
  value: PromiseLike<TValue>,
  { milliseconds, onTimeout }: WaitLimit<TValue>,
  wait: (limited: PromiseLike<TValue>) => Promise<TValue>,
): Promise<TValue> {
  if (milliseconds === 0) return wait(value);
  const time = Promise.withResolvers<TValue>();
  const expire = async (): Promise<TValue> => onTimeout();
  const cancel = startTimer(() => time.resolve(expire()), milliseconds);
  try {
    return await wait(Promise.race([value, time.promise]));
  } finally {
    cancel();
  }
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
