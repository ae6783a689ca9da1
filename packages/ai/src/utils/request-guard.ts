/**
 * Ends a request on the caller's signal, the total timeout or the idle timeout. The request races each wait against
 * them. `close` removes all timers and listeners.
 */
import { AbortedError, NetworkError, PiError } from "../errors.js";
import { checkDuration, startTimer } from "./duration.js";

/** The default idle timeout, in milliseconds. */
export const DEFAULT_IDLE_TIMEOUT_MS = 120_000;
/**
 * The default for a server on this machine, which says nothing while it reads a long prompt, or while the request waits
 * for its turn.
 */
const LOCAL_IDLE_TIMEOUT_MS = 1_800_000;

const LOCAL_ADVICE =
  ". Set a longer time if the server is still busy with the prompt or with other requests, or 0 for no limit";

/** The limits of a request. */
export interface RequestLimits {
  /** The caller's signal. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for the whole request; 0, Infinity or undefined = no limit. */
  timeoutMs?: number | undefined;
  /** Milliseconds of silence; 0 or Infinity = no limit. Default: depends on `isLocal`. */
  idleTimeoutMs?: number | undefined;
  /** The server is on this machine. */
  isLocal?: boolean | undefined;
}

/** Enforces the limits of one request. Call `close` at its end. A limit that is not a duration fails the request at once. */
export class RequestGuard {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #idleMs: number = 0;
  readonly #advice: string;
  readonly #onCallerAbort = (): void => this.abort();
  #cancelTotal: (() => void) | undefined;
  #cancelIdle: (() => void) | undefined;
  #lastTouch = 0;
  #failure: PiError | undefined;
  /** Rejects the current wait; a request waits for one thing at a time. */
  #interrupt: ((reason: PiError) => void) | undefined;

  constructor(limits: RequestLimits) {
    this.#caller = limits.signal;
    this.#advice = limits.isLocal ? LOCAL_ADVICE : "";
    if (limits.signal?.aborted) this.abort();
    else limits.signal?.addEventListener("abort", this.#onCallerAbort, { once: true });
    try {
      const timeoutMs = checkDuration("timeoutMs", limits.timeoutMs ?? 0);
      const defaultMs = limits.isLocal ? LOCAL_IDLE_TIMEOUT_MS : DEFAULT_IDLE_TIMEOUT_MS;
      this.#idleMs = checkDuration("idleTimeoutMs", limits.idleTimeoutMs ?? defaultMs);
      if (timeoutMs > 0 && !this.#failure) this.#cancelTotal = startTimer(() => this.#endTotal(timeoutMs), timeoutMs);
    } catch (error) {
      // The checks of the limits throw only `PiError`.
      if (PiError.is(error)) this.#fail(error);
    }
  }

  /** Aborts all pending work of the request. */
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

  /** Waits for `work`, or until the request ends. Abandoned work may still settle; its outcome is ignored. */
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

  /** Starts or restarts the idle timeout because something arrived. */
  touch(): void {
    this.#lastTouch = performance.now();
    if (this.#idleMs > 0 && this.#cancelIdle === undefined && !this.#failure) this.#watch(this.#idleMs);
  }

  /** Stops the idle timeout while the request itself waits, for a reader or for the next attempt. */
  rest(): void {
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
  }

  /** Waits for work on this machine, during which the idle timeout does not run. */
  pause<T>(work: Promise<T>): Promise<T> {
    this.rest();
    return work.finally(() => this.touch());
  }

  /** Waits for `ms`, or until the request ends. */
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

  /** Removes all timers and listeners at the end of the request. */
  close(): void {
    this.rest();
    this.#cancelTotal?.();
    this.#caller?.removeEventListener("abort", this.#onCallerAbort);
    this.#interrupt = undefined;
  }

  /** One timer serves many calls of `touch`: when it fires, it restarts for the remaining time. */
  #watch(ms: number): void {
    this.#cancelIdle = startTimer(() => {
      const left = this.#lastTouch + this.#idleMs - performance.now();
      if (left > 0) this.#watch(left);
      else
        this.#fail(
          new NetworkError(`Nothing arrived for ${this.#idleMs} ms (idleTimeoutMs)${this.#advice}`, {
            kind: "timeout",
          }),
        );
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
