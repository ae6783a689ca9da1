import type { EventStore } from "pi-ai/proxy-server";
import type { RunSource } from "../serve/run-source.js";
import { type EventResponseOptions, readStoredRun, respondWithEvents, streamItems } from "../sse/event-response.js";
import type { AgUiEvent } from "./ag-ui-event.js";
import { type AgUiStreamOptions, toAgUiStream } from "./to-ag-ui-stream.js";

/** A run that `publishAgUi` has published, or is publishing. */
export interface StoredAgUiRun {
  /** The store that holds its events. */
  store: EventStore<AgUiEvent>;
  /** The id of the run in the store. */
  runId: string;
}

/** Options of {@link agUiResponse}. */
export interface AgUiResponseOptions extends AgUiStreamOptions, EventResponseOptions {}

const GONE: AgUiEvent = { type: "RUN_ERROR", message: "The run can no longer be read", code: "gone" };

/**
 * Returns the response to a request of `HttpAgent` of `@ag-ui/client`: server-sent events, each with its offset as `id`. With
 * an agent or the events of a run, closing the connection aborts the run. With `{ store, runId }` the run continues, and the
 * client reads it from the beginning or after the `last-event-id` of its request. Check first that the user may read the run.
 *
 * @example
 * return agUiResponse(agent, { request, threadId, runId, run: () => agent.prompt("Hi") });
 */
export function agUiResponse(source: RunSource, options: AgUiResponseOptions): Response;
export function agUiResponse(source: StoredAgUiRun, options?: EventResponseOptions): Response;
export function agUiResponse(
  source: RunSource | StoredAgUiRun,
  // Partial, because the overload with a store does not need the ids.
  options: Partial<AgUiResponseOptions> = {},
): Response {
  const read = (offset: number, signal: AbortSignal) =>
    "store" in source
      ? readStoredRun(source.store, source.runId, { offset, signal, startMs: options.startMs })
      : streamItems(toAgUiStream(source, options as AgUiResponseOptions), signal); // The other overload requires them.
  return respondWithEvents(read, ": end", `data: ${JSON.stringify(GONE)}`, options);
}
