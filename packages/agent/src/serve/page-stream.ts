/** The stream of what a page receives of a run: joined while it is unread, and published to a store. */
import { notePublished, whenStopped } from "pi-ai/call";
import type { EventStore } from "pi-ai/proxy-server";
import type { AgentEvent, ApprovalRequest } from "../types/event.js";
import type { TakeItem } from "./continued-run.js";
import { followRun, type RunSource, type RunStart } from "./run-source.js";

/** How one format of pages says what a run does. */
export interface PageFormat<TItem> {
  /** Returns two items as one, or undefined if both must be sent. */
  join(one: TItem, other: TItem): TItem | undefined;
  /** @param add sends an item */
  map(add: (item: TItem) => void): PageMapping;
}

/** Sends what a page receives of each thing that happens. */
export interface PageMapping {
  event(event: AgentEvent): void;
  /** The run waits for answers that the page does not know of. */
  wait(requests: readonly ApprovalRequest[]): void;
  fail(error: Error): void;
}

/** The items of a run, and of those that the agent begins after it for late messages. Cancelling the stream aborts the run. */
export function streamRun<TItem>(
  source: RunSource,
  start: RunStart,
  { join, map }: PageFormat<TItem>,
): ReadableStream<TItem> {
  return createJoinedStream<TItem>(join, ({ add, hold, end }) => {
    const mapping = map(add);
    const leave = followRun(source, start, {
      event(event) {
        // The page learns of an end when no other run has begun.
        if (event.type === "agent_start" || event.type === "agent_end") hold(event.type === "agent_end");
        mapping.event(event);
      },
      wait(requests) {
        mapping.wait(requests);
        end();
      },
      end(error) {
        if (error) {
          hold(false);
          mapping.fail(error);
        }
        end();
      },
    });
    return () => leave(true);
  });
}

/** Writes to the stream. */
interface StreamWriter<TItem> {
  add(item: TItem): void;
  /** Chunks that are added from here on wait for the end. Without `true`, those that have waited are dropped. */
  hold(isHeld: boolean): void;
  end(): void;
}

/**
 * @param join returns two items as one, or undefined if both must be sent
 * @param start receives the writer; returns the function to call when the reader cancels
 */
function createJoinedStream<TItem>(
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
