/** The queue between a response and its reader: events are pushed in and iterated out, and a result settles separately. */

/** Reads a stream, alone or together with other readers. */
export interface EventReader<TEvent> extends AsyncIterator<TEvent, undefined, undefined> {
  /**
   * Returns all events that are already queued; undefined if the next one must be awaited with `next()`. Faster for
   * many events, because `next()` creates a promise for each.
   */
  takeQueued(): readonly TEvent[] | undefined;
}

/** A reader that waits for the next event. */
interface Waiter<TEvent> {
  reader: object;
  resolve: (result: IteratorResult<TEvent, undefined>) => void;
}

/** Consumed slots are dropped when there are this many and they fill half of the array. */
const COMPACT_AT = 1024;

const ENDED_WITHOUT_RESULT = "The event stream ended without a result";

const NO_FUNCTIONS =
  'An EventStream needs two functions: new EventStream((event) => event.type === "done", (event) => event.result)';

/**
 * A queue of events with a final result. Every operation is O(1).
 *
 * The queue is shared: two iterators split the events between them, so pass the events on from one loop. Events wait until they are read.
 *
 * @example
 * const stream = new EventStream<number, string>((n) => n < 0, () => "finished");
 * stream.push(1);
 * stream.push(-1);
 * for await (const n of stream) console.log(n); // 1, -1
 * await stream.result(); // "finished"
 */
export class EventStream<TEvent, TResult = TEvent> implements AsyncIterable<TEvent> {
  readonly #isComplete: (event: TEvent) => boolean;
  readonly #extractResult: (event: TEvent) => TResult;
  #queue: (TEvent | undefined)[] = [];
  #head = 0;
  /** The longest-waiting reader, almost always the only one. A separate field, because every event uses it. */
  #waiter: Waiter<TEvent> | undefined;
  #laterWaiters: Waiter<TEvent>[] = [];
  #laterHead = 0;
  #ended = false;
  #keepsEvents = true;
  #iterators = 0;
  #outcome: { value: TResult } | { error: Error } | undefined;
  #result: PromiseWithResolvers<TResult> | undefined;

  /**
   * @param isComplete returns true for the event that ends the stream
   * @param extractResult returns the result from that event
   */
  constructor(isComplete: (event: TEvent) => boolean, extractResult: (event: TEvent) => TResult) {
    if (typeof isComplete !== "function" || typeof extractResult !== "function") throw new TypeError(NO_FUNCTIONS);
    this.#isComplete = isComplete;
    this.#extractResult = extractResult;
  }

  /** Adds an event; ignored after the end. The completing event settles the result and ends the stream. */
  push(event: TEvent): void {
    if (this.#ended) return;
    if (this.#isComplete(event)) {
      this.#settle({ value: this.#extractResult(event) });
      this.#deliver(event);
      this.#finish();
    } else {
      this.#deliver(event);
    }
  }

  /**
   * Ends the stream. `result()` rejects if there is no result and no completing event came before.
   */
  end(result?: TResult): void {
    if (this.#ended) return;
    this.#settle(result === undefined ? { error: new Error(ENDED_WITHOUT_RESULT) } : { value: result });
    this.#finish();
  }

  /** Settles when the stream has ended: with the result, or with an error if it ended without one. */
  result(): Promise<TResult> {
    if (!this.#result) {
      this.#result = Promise.withResolvers<TResult>();
      // A rejection that no caller observes must not end the process.
      this.#result.promise.catch(() => {});
      this.#resolveResult();
    }
    return this.#result.promise;
  }

  /** {@link result}, for callers that read no events: unread events are dropped, now and later. */
  resultOnly(): Promise<TResult> {
    this.#keepsEvents = false;
    this.#queue = [];
    this.#head = 0;
    return this.result();
  }

  /** The unread events, then new ones, until the end. */
  [Symbol.asyncIterator](): EventReader<TEvent> {
    const reader = { open: true };
    this.#iterators++;
    return {
      takeQueued: () => (reader.open && this.#head < this.#queue.length ? this.#takeAll() : undefined),
      next: (): Promise<IteratorResult<TEvent, undefined>> => {
        if (!reader.open) return Promise.resolve({ value: undefined, done: true });
        if (this.#head < this.#queue.length) return Promise.resolve({ value: this.#take(), done: false });
        if (this.#ended) return Promise.resolve({ value: undefined, done: true });
        return new Promise((resolve) => this.#wait({ reader, resolve }));
      },
      return: (): Promise<IteratorResult<TEvent, undefined>> => {
        if (reader.open) {
          reader.open = false;
          this.#release(reader);
          this.#iterators--;
          if (this.#iterators === 0 && !this.#ended && !this.#result) this.onAbandoned();
        }
        return Promise.resolve({ value: undefined, done: true });
      },
    };
  }

  /** Whether the last event was pushed. Unread events may remain. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The number of unread events. */
  get backlog(): number {
    return this.#queue.length - this.#head;
  }

  /** Whether a caller has asked for the result. */
  protected get resultWanted(): boolean {
    return this.#result !== undefined;
  }

  /** Called when an event was read from the queue. */
  protected onRead(): void {}

  /** Called when the last reader has left before the end and nothing awaits the result. */
  protected onAbandoned(): void {}

  #deliver(event: TEvent): void {
    const waiter = this.#waiter;
    if (waiter === undefined) {
      if (this.#keepsEvents) this.#queue.push(event);
      return;
    }
    this.#waiter = this.#laterWaiters.length === 0 ? undefined : this.#nextWaiter();
    waiter.resolve({ value: event, done: false });
  }

  #wait(waiter: Waiter<TEvent>): void {
    if (this.#waiter === undefined) this.#waiter = waiter;
    else this.#laterWaiters.push(waiter);
  }

  #nextWaiter(): Waiter<TEvent> | undefined {
    const waiter = this.#laterWaiters[this.#laterHead++];
    if (this.#laterHead < this.#laterWaiters.length) return waiter;
    this.#laterWaiters = [];
    this.#laterHead = 0;
    return waiter;
  }

  /** Removes and returns all waiting readers, in order. */
  #takeWaiters(): Waiter<TEvent>[] {
    const waiters = this.#waiter ? [this.#waiter, ...this.#laterWaiters.slice(this.#laterHead)] : [];
    this.#waiter = undefined;
    this.#laterWaiters = [];
    this.#laterHead = 0;
    return waiters;
  }

  /** A reader that left while it waited must not take the next event. */
  #release(reader: object): void {
    for (const waiter of this.#takeWaiters()) {
      if (waiter.reader === reader) waiter.resolve({ value: undefined, done: true });
      else this.#wait(waiter);
    }
  }

  #take(): TEvent {
    const event = this.#queue[this.#head] as TEvent; // the caller checked that the slot is filled
    this.#queue[this.#head++] = undefined;
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    } else if (this.#head >= COMPACT_AT && this.#head * 2 >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    this.onRead();
    return event;
  }

  #takeAll(): readonly TEvent[] {
    const events = this.#head === 0 ? this.#queue : this.#queue.slice(this.#head);
    this.#queue = [];
    this.#head = 0;
    this.onRead();
    return events as TEvent[]; // only slots before the head are empty
  }

  #finish(): void {
    this.#ended = true;
    if (this.#waiter) for (const { resolve } of this.#takeWaiters()) resolve({ value: undefined, done: true });
  }

  #settle(outcome: { value: TResult } | { error: Error }): void {
    this.#outcome = outcome;
    this.#resolveResult();
  }

  #resolveResult(): void {
    if (!this.#result || !this.#outcome) return;
    if ("value" in this.#outcome) this.#result.resolve(this.#outcome.value);
    else this.#result.reject(this.#outcome.error);
  }
}
