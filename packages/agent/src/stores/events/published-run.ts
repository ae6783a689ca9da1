/** Remembers the runs that this process publishes, and passes requests to stop a run from any process to it. */
import { processState } from "pi-ai/call";
import type { EventStore } from "pi-ai/proxy-server";

/** By the store that receives the events. A run that this process publishes may begin long after a page has asked for it. */
const published = /* @__PURE__ */ processState("published runs", () => new WeakMap<object, Set<string>>());

/** Returns the function to call when publishing has ended. */
export function notePublished(store: object, runId: string): () => void {
  const runs = published.get(store) ?? new Set();
  published.set(store, runs.add(runId));
  return () => void runs.delete(runId);
}

export function isPublished(store: object, runId: string): boolean {
  return published.get(store)?.has(runId) ?? false;
}

// A run is stopped from any process, through the store that holds its events.

/** A request to stop a run is an event of a second run, with this suffix. */
const stopsOf = (runId: string): string => `${runId}/stop`;

/** Asks the process that executes a run to stop it. Does nothing if the run has ended. */
export async function stopRun(store: EventStore<unknown>, runId: string): Promise<void> {
  await store.append(stopsOf(runId), "stop").catch(ignoreEnded);
  // A client can name any id. A run without an end would stay in the store.
  await store.end(stopsOf(runId));
}

/**
 * Resolves with true when {@link stopRun} is called for the run, and with false when the signal aborts. Call it in the
 * process that executes the run, and abort the signal when the run is over.
 *
 * @example
 * void whenStopped(store, runId, over.signal).then((stopped) => stopped && agent.abort());
 */
export async function whenStopped(store: EventStore<unknown>, runId: string, signal: AbortSignal): Promise<boolean> {
  try {
    for await (const _ of store.read(stopsOf(runId), 0, signal)) return true;
    return false;
  } finally {
    // Ends the second run, so that the store can delete it.
    await store.end(stopsOf(runId)).catch(() => {});
  }
}
function ignoreEnded(error: unknown): void {
  if (!isEnded(error)) throw error;
}

/** Whether a store has refused an event because the run has ended. */
export function isEnded(error: unknown): boolean {
  return error instanceof Error && error.name === "EventStoreError";
}
