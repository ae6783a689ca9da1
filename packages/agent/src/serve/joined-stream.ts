/** A stream that joins unread deltas, so that a slow reader needs no more memory than the text itself. */

/** Writes to the stream. */
export interface StreamWriter<TItem> {
  add(item: TItem): void;
  end(): void;
}

/**
 * @param join returns two items as one, or undefined if both must be sent
 * @param start receives the writer; returns the function to call when the reader cancels
 */
export function createJoinedStream<TItem>(
  join: (one: TItem, other: TItem) => TItem | undefined,
  start: (writer: StreamWriter<TItem>) => () => void,
): ReadableStream<TItem> {
  let unread: TItem[] = [];
  let isOver = false;
  let wake = (): void => {};
  const writer: StreamWriter<TItem> = {
    add(item) {
      const last = unread.at(-1);
      const joined = last === undefined ? undefined : join(last, item);
      if (joined === undefined) unread.push(item);
      else unread[unread.length - 1] = joined;
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
  };
  const leave = start(writer);
  return new ReadableStream<TItem>(
    {
      async pull(controller) {
        if (unread.length === 0 && !isOver) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const items = unread;
        unread = [];
        for (const item of items) controller.enqueue(item);
        if (isOver) controller.close();
      },
      cancel() {
        unread = [];
        leave();
      },
    },
    { highWaterMark: 0 },
  );
}
