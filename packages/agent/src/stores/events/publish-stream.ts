/** Stores what a run sends to a page, so that any web server can serve it. */
import type { EventStore } from "pi-ai/proxy-server";
import { notePublished } from "./published-runs.js";
import { whenStopped } from "./stop-run.js";

/**
 * Stores the items of a stream as the events of a run, and ends the run there. `stopRun` aborts the agent.
 *
 * @returns resolves when everything is stored; rejects if the store fails, but the agent continues
 */
export async function publishStream<TItem>(
  agent: { abort(): unknown },
  stream: ReadableStream<TItem>,
  store: EventStore<TItem>,
  runId: string,
): Promise<void> {
  const over = new AbortController();
  const reader = stream.getReader();
  const forget = notePublished(store, runId);
  whenStopped(store, runId, over.signal).then(
    (stopped) => stopped && agent.abort(),
    () => {}, // The store failed. The loop below reports that.
  );
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) await store.append(runId, next.value);
  } finally {
    over.abort();
    forget();
    await store.end(runId);
  }
}
