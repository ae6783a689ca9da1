/** Calls the product's functions without waiting for them, and contains their errors. */
import { formatThrownValue } from "pi-ai/call";

/** Receives notes for developers. */
export interface EmbedLog {
  /** Logs a note. */
  debug(message: string): void;
  /** Logs a warning. Default: `debug`. */
  warn?(message: string): void;
}

/** How callbacks are called. */
export interface CallbackOptions {
  /**
   * `"concurrent"` calls at once, so that promises may overlap. `"serial"` begins a callback when the one before it is
   * done. Default `"concurrent"`.
   */
  delivery?: "concurrent" | "serial" | undefined;
  /**
   * The longest that `whenDelivered` waits for callbacks, in milliseconds; 0 or `Infinity`: no limit. Callbacks that are
   * still pending go on, and `onCallbackError` gets an error. Default 30,000.
   */
  deliveryTimeoutMs?: number | undefined;
  /** Receives errors of callbacks, with the name of the callback. Default: a warning in the log. */
  onCallbackError?: ((error: unknown, callback: string) => void) | undefined;
  /** Receives notes. Default: none are kept. */
  log?: EmbedLog | undefined;
}

/** A callback with any parameters; `run` checks them against the callback's own. */
type AnyCallback = (...args: never[]) => unknown;

interface Job {
  name: string;
  callback: AnyCallback;
  args: unknown[];
}

/** A timer with a longer delay fires at once. Not imported from pi-ai, which this entry does not load. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export class Callbacks {
  readonly #isSerial: boolean;
  readonly #onError: CallbackOptions["onCallbackError"];
  readonly #log: EmbedLog | undefined;
  readonly #timeoutMs: number;
  #queue: Job[] = [];
  #next = 0;
  #isBusy = false;
  #unsettled = 0;
  #waiting: (() => void)[] = [];
  #isClosed = false;
  /** True while an event is handled that an earlier process has delivered. */
  isMuted = false;

  constructor({ delivery = "concurrent", onCallbackError, log, deliveryTimeoutMs = 30_000 }: CallbackOptions = {}) {
    if (!(typeof deliveryTimeoutMs === "number" && deliveryTimeoutMs >= 0)) {
      throw new RangeError(
        `deliveryTimeoutMs must be 0 or more milliseconds (Infinity means no limit), got ${deliveryTimeoutMs}`,
      );
    }
    this.#timeoutMs = deliveryTimeoutMs;
    this.#isSerial = delivery === "serial";
    this.#onError = onCallbackError;
    this.#log = log;
  }

  /** Calls a callback now, or after those before it. */
  run<TCallback extends AnyCallback>(
    name: string,
    callback: TCallback | undefined,
    ...args: Parameters<TCallback>
  ): void {
    if (this.#isClosed || this.isMuted || !callback) return;
    if (this.#isSerial) {
      this.#queue.push({ name, callback, args });
      this.#runQueue();
    } else {
      void this.#start(name, callback, args);
    }
  }

  /** Calls a synchronous function and returns its result; `undefined` if it threw. */
  ask<TResponse>(name: string, call: () => TResponse): TResponse | undefined {
    try {
      return call();
    } catch (error) {
      this.report(error, name);
      return undefined;
    }
  }

  report(error: unknown, name: string): void {
    if (!this.#onError || this.#isClosed) {
      this.warn(`${name} failed: ${formatThrownValue(error)}`);
      return;
    }
    try {
      this.#onError(error, name);
    } catch (reportError) {
      this.warn(`onCallbackError failed: ${formatThrownValue(reportError)}`);
    }
  }

  debug(message: string): void {
    try {
      this.#log?.debug(message);
    } catch {
      // There is nowhere to report the failure of a log.
    }
  }

  warn(message: string): void {
    try {
      if (this.#log?.warn) this.#log.warn(message);
      else this.#log?.debug(message);
    } catch {
      // As above.
    }
  }

  /** Resolves when every callback is done, or after the timeout: a promise that never settles must not hang the caller. */
  whenDelivered(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    const delivered = Promise.withResolvers<void>();
    const timer = this.#startTimeout(delivered.resolve);
    this.#waiting.push(() => {
      clearTimeout(timer);
      delivered.resolve();
    });
    return delivered.promise;
  }

  #startTimeout(resolve: () => void): ReturnType<typeof setTimeout> | undefined {
    if (this.#timeoutMs === 0 || this.#timeoutMs === Number.POSITIVE_INFINITY) return undefined;
    return setTimeout(
      () => {
        this.report(new Error(`Callbacks were still pending after ${this.#timeoutMs} ms`), "whenDelivered");
        resolve();
      },
      Math.min(this.#timeoutMs, MAX_TIMER_MS),
    );
  }

  /** Calls no further callback and drops the queue. */
  close(): void {
    this.#isClosed = true;
    this.#queue = [];
    this.#next = 0;
    this.#settle();
  }

  /** @returns a promise if the callback is not done yet */
  #start(name: string, callback: AnyCallback, args: unknown[]): Promise<void> | undefined {
    let returned: Promise<unknown> | undefined;
    try {
      // `run` took them together with the callback, as its own parameters.
      returned = toPromise(callback(...(args as never[])));
    } catch (error) {
      this.report(error, name);
    }
    if (!returned) return undefined;
    this.#unsettled++;
    return returned
      .catch((error: unknown) => this.report(error, name))
      .then(() => {
        this.#unsettled--;
        this.#settle();
      });
  }

  #runQueue(): void {
    while (!this.#isBusy && this.#next < this.#queue.length) {
      const { name, callback, args } = this.#take();
      this.#isBusy = true;
      const pending = this.#start(name, callback, args);
      if (!pending) {
        this.#isBusy = false;
        continue;
      }
      void pending.then(() => {
        this.#isBusy = false;
        this.#runQueue();
        this.#settle();
      });
    }
  }

  #take(): Job {
    const job = this.#queue[this.#next++] as Job; // the caller checked that the queue is not empty
    if (this.#next * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#next);
      this.#next = 0;
    }
    return job;
  }

  #isIdle(): boolean {
    return this.#unsettled === 0 && this.#next === this.#queue.length;
  }

  #settle(): void {
    if (!this.#isIdle()) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function toPromise(value: unknown): Promise<unknown> | undefined {
  const isThenable = typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
  return isThenable ? Promise.resolve(value) : undefined;
}
