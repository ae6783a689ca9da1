/**
 * Bounds one request: the caller's signal, the total time and the time of silence end it, and everything that the
 * request waits for is raced against them. All timers and listeners are gone after `close`.
 */
import { AbortedError, NetworkError, PiError } from "../errors.js";
import { checkDuration, startTimer } from "../utils/duration.js";

/** The default bound on silence, in milliseconds. */
export const DEFAULT_IDLE_TIMEOUT_MS = 120_000;

/** What ends a request early. */
export interface RequestLimits {
  /** The caller's signal. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for the whole request; 0, Infinity or undefined = no bound. */
  timeoutMs?: number | undefined;
  /** Milliseconds of silence; 0 or Infinity = no bound. */
  idleTimeoutMs: number;
}

/** Watches over one request. `close` it when the request is over. A limit that is not a duration fails it at once. */
export class RequestGuard {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #idleMs: number = 0;
  readonly #onCallerAbort = (): void => this.abort();
  #cancelTotal: (() => void) | undefined;
  #cancelIdle: (() => void) | undefined;
  #lastTouch = 0;
  #failure: PiError | undefined;
  /** Rejects what is being waited for; a request waits for one thing at a time. */
  #interrupt: ((reason: PiError) => void) | undefined;

  constructor(limits: RequestLimits) {
    this.#caller = limits.signal;
    if (limits.signal?.aborted) this.abort();
    else limits.signal?.addEventListener("abort", this.#onCallerAbort, { once: true });
    try {
      const timeoutMs = checkDuration("timeoutMs", limits.timeoutMs ?? 0);
      this.#idleMs = checkDuration("idleTimeoutMs", limits.idleTimeoutMs);
      if (timeoutMs > 0 && !this.#failure) this.#cancelTotal = startTimer(() => this.#endTotal(timeoutMs), timeoutMs);
    } catch (error) {
      // Nothing else is thrown by the checks.
      if (PiError.is(error)) this.#fail(error);
    }
  }

  /** Ends everything that is still under way. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the request was ended early, if it was. */
  get failure(): PiError | undefined {
    return this.#failure;
  }

  /** Ends the request on behalf of the caller. */
  abort(): void {
    this.#fail(new AbortedError());
  }

  /** Waits for `work`, at most until the request ends. Abandoned work may still settle; its outcome is ignored. */
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

  /** Restarts the idle timeout because something arrived. Also starts it. */
  touch(): void {
    this.#lastTouch = Date.now();
    if (this.#idleMs > 0 && this.#cancelIdle === undefined && !this.#failure) this.#watch(this.#idleMs);
  }

  /** Stops the idle timeout while the request itself waits, for a reader or for the next attempt. */
  rest(): void {
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
  }

  /** Waits `ms`, at most until the request ends. */
  async sleep(ms: number): Promise<void> {
    let cancel: (() => void) | undefined;
    try {
      await this.race(
        new Promise<void>((resolve) => {
          cancel = startTimer(resolve, ms);
        }),
      );
    } finally {
      cancel?.();
    }
  }

  /** Ends the watch when the request is over: no timer and no listener is left. */
  close(): void {
    this.rest();
    this.#cancelTotal?.();
    this.#caller?.removeEventListener("abort", this.#onCallerAbort);
    this.#interrupt = undefined;
  }

  /** One timer serves many touches: when it fires, it is started again for what is left. */
  #watch(ms: number): void {
    this.#cancelIdle = startTimer(() => {
      const left = this.#lastTouch + this.#idleMs - Date.now();
      if (left > 0) this.#watch(left);
      else this.#fail(new NetworkError(`Nothing arrived for ${this.#idleMs} ms (idleTimeoutMs)`, { kind: "timeout" }));
    }, ms);
  }

  #endTotal(timeoutMs: number): void {
    this.#fail(new NetworkError(`The request took longer than ${timeoutMs} ms (timeoutMs)`, { kind: "timeout" }));
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
