/** Who reads a stream of events. */

/** Reads a stream, alone or beside others. */
export interface EventReader<TEvent> extends AsyncIterator<TEvent, undefined, undefined> {
  /**
   * All events that are there already; undefined where the next one has to be waited for with `next()`. For readers of many
   * events: `next()` makes a promise for each.
   */
  takeQueued(): readonly TEvent[] | undefined;
}

/** Somebody who waits for the next event. */
export interface Waiter<TEvent> {
  reader: object;
  resolve: (result: IteratorResult<TEvent, undefined>) => void;
}
