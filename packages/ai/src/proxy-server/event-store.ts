/** The interface of a store for the events of a run, with which a client can resume after a lost connection. */

/**
 * The events of runs, each a JSON value. The offset of an event is its number in its run, from 1; 0 is before the first. Any
 * process may read a run that another one writes. A run has one writer at a time.
 */
export interface EventStore<TEvent = unknown> {
  /**
   * Adds an event and returns its offset. The first event starts the run.
   *
   * @throws Error when the run has ended
   */
  append(runId: string, event: TEvent): Promise<number>;
  /**
   * Yields the events after an offset (default 0), and then new ones, until the run ends or the signal aborts. Waits for a
   * run that has not started. If events after the offset were dropped, the first value is the snapshot that replaces them,
   * with the offset of the last event that it covers.
   *
   * @throws Error when events were dropped and no snapshot replaces them
   */
  read(runId: string, fromOffset?: number, signal?: AbortSignal): AsyncIterable<[offset: number, event: TEvent]>;
  /**
   * Whether the store has a run: its events, or at least its end. A page that asks for another run would wait for its start
   * for ever; a store without this function lets it wait.
   */
  has?(runId: string): Promise<boolean>;
  /** Ends a run. Its readers finish when they have read all events. Does nothing if the run has ended. */
  end(runId: string): Promise<void>;
  /** Stores a snapshot that replaces all events up to an offset, which the store may then drop. */
  snapshot(runId: string, offset: number, event: TEvent): Promise<void>;
}
