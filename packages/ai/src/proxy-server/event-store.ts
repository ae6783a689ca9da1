/** Where the events of a run are kept, so that a client that has lost its connection can continue to read them. */

/**
 * The events of runs, each a JSON value. The offset of an event is its number in its run, from 1; 0 is before the first. Any
 * process may read a run that another one writes. A run has one writer at a time.
 */
export interface EventStore<TEvent = unknown> {
  /**
   * Adds an event and returns its offset. The first one begins the run.
   *
   * @throws Error when the run has ended
   */
  append(runId: string, event: TEvent): Promise<number>;
  /**
   * The events after an offset (default 0), and then those that follow, until the run has ended or the signal aborts. A run
   * that has not begun is waited for. Where events after the offset were dropped, the first value is the snapshot that
   * stands for them, with the offset of the last event that it covers.
   *
   * @throws Error when events were dropped and no snapshot stands for them
   */
  read(runId: string, fromOffset?: number, signal?: AbortSignal): AsyncIterable<[offset: number, event: TEvent]>;
  /** Ends a run: its readers finish when they have read everything. Does nothing when it has ended. */
  end(runId: string): Promise<void>;
  /** Keeps an event that stands for all events up to an offset. Older events may be dropped from now on. */
  snapshot(runId: string, offset: number, event: TEvent): Promise<void>;
}
