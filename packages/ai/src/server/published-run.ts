/** Remembers the runs that this process publishes, and passes requests to stop a run from any process to it. */
import { ConfigError } from "../errors.js";
import { nameValue } from "../utils/name-value.js";
import { processState } from "../utils/process-state.js";
import type { EventStore } from "./options.js";
import { resolveRun } from "./owned-runs.js";

/** By the store that receives the events. A run that this process publishes may begin long after a page has asked for it. */
const published = /* @__PURE__ */ processState("published runs", () => new WeakMap<object, Set<string>>());

/** Returns the function to call when publishing has ended. */
export function notePublished(view: object, runId: string): () => void {
  const { store, name } = resolveRun(view, runId);
  const runs = published.get(store) ?? new Set();
  published.set(store, runs.add(name));
  return () => void runs.delete(name);
}

/** Whether a run of this process is being published under this id. */
export function isPublished(view: object, runId: string): boolean {
  const { store, name } = resolveRun(view, runId);
  return published.get(store)?.has(name) ?? false;
}

/** Tells all processes that a run will begin, so that they can stop it and wait for it before its first event. */
export async function registerRun(store: EventStore<unknown>, runId: string): Promise<void> {
  await store.begin?.(stopsOf(runId));
}

/** Whether a run has begun or will begin. A store that does not tell may have any run. */
export async function isKnownRun(store: EventStore<unknown>, runId: string): Promise<boolean> {
  if (!store.has || isPublished(store, runId)) return true;
  return (await store.has(runId)) || (await store.has(stopsOf(runId)));
}

// A run is stopped from any process, through the store that holds its events.

/** A request to stop a run is an event of a second run, with this suffix. */
const stopsOf = (runId: string): string => `${runId}${STOP}`;
const STOP = "/stop";

/**
 * Asks the process that executes a run to stop it. Does nothing if the run has ended, and nothing for a run that does not
 * exist. Pass `runsOf(store, user.id)` as the store, so that a user stops only runs of their own.
 *
 * @throws ConfigError if the id is not a string
 */
export async function stopRun(store: EventStore<unknown>, runId: string): Promise<void> {
  if (typeof runId !== "string") throw new ConfigError(`stopRun needs the id of a run, not ${nameValue(runId)}`);
  // A client can name any id, even the id under which requests to stop a run are stored. Only known runs get an entry.
  if (runId.endsWith(STOP) || !(await isKnownRun(store, runId))) return;
  await store.append(stopsOf(runId), "stop").catch(ignoreEnded);
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
  const forget = notePublished(store, runId);
  try {
    await registerRun(store, runId);
    for await (const _ of store.read(stopsOf(runId), 0, signal)) return true;
    return false;
  } finally {
    forget();
    // Ends the second run, so that the store can delete it.
    await store.end(stopsOf(runId)).catch(() => {});
  }
}

function ignoreEnded(error: unknown): void {
  if (!isStoreError(error)) throw error;
}

/** Whether a store has refused, because the run has ended or is gone. Stores come from another package, so the name decides. */
export function isStoreError(error: unknown): boolean {
  return error instanceof Error && error.name === "EventStoreError";
}
