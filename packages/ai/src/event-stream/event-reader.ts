/** The interfaces of readers of an event stream. */

/** Reads a stream, alone or together with other readers. */
export interface EventReader<TEvent> extends AsyncIterator<TEvent, undefined, undefined> {
  /**
   * Returns all events that are already queued; undefined if the next one must be awaited with `next()`. Faster for
   * many events, because `next()` creates a promise for each.
   */
  takeQueued(): readonly TEvent[] | undefined;
}

/** A reader that waits for the next event. */
export interface Waiter<TEvent> {
  reader: object;
  resolve: (result: IteratorResult<TEvent, undefined>) => void;
}
