/** The stream of what a page receives: joined while it is unread, and published to a store. */
import { notePublished, whenStopped } from "pi-ai/call";
import type { EventStore } from "pi-ai/proxy-server";
import type { TakeItem } from "./continued-run.js";

/** Writes to the stream. */
export interface StreamWriter<TItem> {
  add(item: TItem): void;
  /** What is added from here on waits for the end. Without `true`, what has waited is dropped. */
  hold(isHeld: boolean): void;
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
  let held: TItem[] | undefined;
  let isOver = false;
  let wake = (): void => {};
  const writer: StreamWriter<TItem> = {
    add(item) {
      if (held) return void held.push(item);
      const last = unread.at(-1);
      const joined = last === undefined ? undefined : join(last, item);
      if (joined === undefined) unread.push(item);
      else unread[unread.length - 1] = joined;
      wake();
    },
    hold(isHeld) {
      held = isHeld ? [] : undefined;
    },
    end() {
      const items = held ?? [];
      held = undefined;
      for (const item of items) writer.add(item);
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

/**
 * Stores the items of a stream as the events of a run, and ends the run there. `stopRun` aborts the agent.
 *
 * @param resume called if the store has items of the run already: an earlier process has died, and this one repeats the run
 * @returns resolves when everything is stored; rejects if the store fails, but the agent continues
 */
export async function publishStream<TItem>(
  agent: { abort(): unknown },
  stream: ReadableStream<TItem>,
  { store, runId }: { store: EventStore<TItem>; runId: string },
  resume: () => Promise<TakeItem<TItem>>,
): Promise<void> {
  const over = new AbortController();
  const reader = stream.getReader();
  const forget = notePublished(store, runId);
  whenStopped(store, runId, over.signal).then(
    (stopped) => stopped && agent.abort(),
    () => {}, // The store failed. The loop below reports that.
  );
  try {
    const take = (await store.has?.(runId)) ? await resume() : undefined;
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      for (const item of take?.(next.value) ?? [next.value]) await store.append(runId, item);
    }
  } finally {
    over.abort();
    forget();
    await store.end(runId);
  }
}
