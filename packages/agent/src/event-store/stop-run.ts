/** Stops a run from any process, through the store that holds its events. */
import type { EventStore } from "pi-ai/proxy-server";

/** The requests to stop a run are a run of their own. */
const stopsOf = (runId: string): string => `${runId}/stop`;

/** Asks the process that executes a run to stop it. Does nothing if the run has ended. */
export async function stopRun(store: EventStore<unknown>, runId: string): Promise<void> {
  await store.append(stopsOf(runId), "stop").catch(ignoreEnded);
}

/**
 * Resolves with true when the run is asked to stop, and with false when the signal aborts. Called by the process that
 * executes the run; the signal should abort when the run is over.
 *
 * @example
 * void whenStopped(store, runId, over.signal).then((stopped) => stopped && agent.abort());
 */
export async function whenStopped(store: EventStore<unknown>, runId: string, signal: AbortSignal): Promise<boolean> {
  try {
    for await (const _ of store.read(stopsOf(runId), 0, signal)) return true;
    return false;
  } finally {
    // Frees what the store holds for it.
    await store.end(stopsOf(runId)).catch(() => {});
  }
}

function ignoreEnded(error: unknown): void {
  if (!(error instanceof Error && error.name === "EventStoreError")) throw error;
}
