/** Calls a product's functions without waiting for them, and lets nothing that they throw out. */

/** Where notes for developers go. */
export interface EmbedLog {
  /** Takes a note. */
  debug(message: string): void;
  /** Takes a warning. Default: `debug`. */
  warn?(message: string): void;
}

/** How callbacks are called. */
export interface CallbackOptions {
  /**
   * `"concurrent"` calls at once, so that promises may overlap. `"serial"` begins a callback when the one before it is
   * done. Default `"concurrent"`.
   */
  delivery?: "concurrent" | "serial";
  /** Told what a callback threw or rejected with, and the callback's name. Default: a warning in the log. */
  onCallbackError?: (error: unknown, callback: string) => void;
  /** Where notes go. Default: nowhere. */
  log?: EmbedLog;
}

/** Of whatever parameters; each caller is checked against its own. */
type AnyCallback = (...args: never[]) => unknown;

interface Job {
  name: string;
  callback: AnyCallback;
  args: unknown[];
}

export class Callbacks {
  readonly #isSerial: boolean;
  readonly #onError: CallbackOptions["onCallbackError"];
  readonly #log: EmbedLog | undefined;
  #queue: Job[] = [];
  #next = 0;
  #isBusy = false;
  #unsettled = 0;
  #waiting: (() => void)[] = [];
  #isClosed = false;

  constructor({ delivery = "concurrent", onCallbackError, log }: CallbackOptions = {}) {
    this.#isSerial = delivery === "serial";
    this.#onError = onCallbackError;
    this.#log = log;
  }

  /** Calls a callback, now or in its turn. */
  run<TCallback extends AnyCallback>(
    name: string,
    callback: TCallback | undefined,
    ...args: Parameters<TCallback>
  ): void {
    if (this.#isClosed || !callback) return;
    if (this.#isSerial) {
      this.#queue.push({ name, callback, args });
      this.#runQueue();
    } else {
      void this.#start(name, callback, args);
    }
  }

  /** Asks a function that has to answer at once; `undefined` when it failed. */
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
      this.warn(`${name} failed: ${describeError(error)}`);
      return;
    }
    try {
      this.#onError(error, name);
    } catch (reportError) {
      this.warn(`onCallbackError failed: ${describeError(reportError)}`);
    }
  }

  debug(message: string): void {
    try {
      this.#log?.debug(message);
    } catch {
      // A log that cannot log has nobody to tell.
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

  /** Resolves when everything that was to be called is done. */
  whenDelivered(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Nothing is called any more; what waits is dropped. */
  close(): void {
    this.#isClosed = true;
    this.#queue = [];
    this.#next = 0;
    this.#settle();
  }

  /** @returns a promise while the callback is not done */
  #start(name: string, callback: AnyCallback, args: unknown[]): Promise<void> | undefined {
    let returned: Promise<unknown> | undefined;
    try {
      // They were taken together with the callback, as its own parameters.
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
    const job = this.#queue[this.#next++] as Job; // the caller checked that one waits
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

export function describeError(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "unknown error";
  }
}

function toPromise(value: unknown): Promise<unknown> | undefined {
  const isThenable = typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
  return isThenable ? Promise.resolve(value) : undefined;
}
