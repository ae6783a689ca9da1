/**
 * Bounds one call: the caller's signal, the total time and the time of silence end it, and everything that the call
 * waits for is raced against them. All timers and listeners are gone after `close`.
 */
import { AbortedError, NetworkError, type PiError } from "../errors.js";

/** How long a call may be silent where nothing else is said, in milliseconds. */
export const DEFAULT_IDLE_TIMEOUT_MS = 120_000;

/** The longest time that a timer can hold; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What ends a call early. */
export interface RequestLimits {
  /** The caller's wish. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call; 0 or undefined = no bound. */
  timeoutMs?: number | undefined;
  /** Milliseconds of silence; 0 = no bound. */
  idleTimeoutMs: number;
}

/** Watches over one call. `close` it when the call is over. */
export class RequestGuard {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #idleMs: number;
  readonly #onCallerAbort = (): void => this.abort();
  #totalTimer: ReturnType<typeof setTimeout> | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #lastTouch = 0;
  #failure: PiError | undefined;
  /** Rejects what is being waited for; a call waits for one thing at a time. */
  #interrupt: ((reason: PiError) => void) | undefined;

  constructor(limits: RequestLimits) {
    this.#idleMs = isBound(limits.idleTimeoutMs) ? limits.idleTimeoutMs : 0;
    this.#caller = limits.signal;
    if (limits.signal?.aborted) this.abort();
    else limits.signal?.addEventListener("abort", this.#onCallerAbort, { once: true });
    const { timeoutMs } = limits;
    if (timeoutMs && isBound(timeoutMs)) this.#totalTimer = setTimeout(() => this.#endTotal(timeoutMs), timeoutMs);
  }

  /** Ends everything that is still under way. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the call was ended early, if it was. */
  get failure(): PiError | undefined {
    return this.#failure;
  }

  /** Ends the call as the caller's wish. */
  abort(): void {
    this.#fail(new AbortedError());
  }

  /** Waits for `work`, but not longer than the call lives. Work that is given up may still settle; nobody hears it. */
  race<T>(work: T | PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#failure) {
        reject(this.#failure);
        Promise.resolve(work).catch(() => {});
        return;
      }
      this.#interrupt = reject;
      Promise.resolve(work).then(resolve, reject);
    });
  }

  /** Something arrived: silence begins anew. Also starts the watch. */
  touch(): void {
    this.#lastTouch = Date.now();
    if (this.#idleMs > 0 && this.#idleTimer === undefined && !this.#failure) this.#watch(this.#idleMs);
  }

  /** Stops the watch over silence while the call itself waits, for a reader or for the next attempt. */
  rest(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = undefined;
  }

  /** Waits `ms`, at most as long as the call lives. */
  async sleep(ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      await this.race(
        new Promise<void>((resolve) => {
          timer = setTimeout(resolve, Math.min(ms, LONGEST_TIMER_MS));
        }),
      );
    } finally {
      clearTimeout(timer);
    }
  }

  /** The call is over: no timer and no listener is left. */
  close(): void {
    this.rest();
    clearTimeout(this.#totalTimer);
    this.#caller?.removeEventListener("abort", this.#onCallerAbort);
    this.#interrupt = undefined;
  }

  #watch(ms: number): void {
    this.#idleTimer = setTimeout(() => {
      const left = this.#lastTouch + this.#idleMs - Date.now();
      if (left > 0) this.#watch(left);
      else this.#fail(new NetworkError(`Nothing arrived for ${this.#idleMs} ms (idleTimeoutMs)`, { kind: "timeout" }));
    }, ms);
  }

  #endTotal(timeoutMs: number): void {
    this.#fail(new NetworkError(`The call took longer than ${timeoutMs} ms (timeoutMs)`, { kind: "timeout" }));
  }

  #fail(failure: PiError): void {
    if (this.#failure) return;
    this.#failure = failure;
    const interrupt = this.#interrupt;
    this.close();
    this.#controller.abort(failure);
    interrupt?.(failure);
  }
}

/** More than a timer can hold, 24 days, is no bound. */
function isBound(ms: number): boolean {
  return ms <= LONGEST_TIMER_MS;
}
