/**
 * The events of a run as server-sent events that survive a lost connection. For servers; pages read them with
 * `pi-agent/sse/client`.
 *
 * @module pi-agent/sse
 */
import type { EventStore } from "pi-ai/proxy-server";
import { assertStore, checkOptions, mustBeText } from "../../checks.js";
import { type EventResponseOptions, RESPONSE_CHECKS, readStoredRun, respondWithEvents } from "./event-response.js";

export type { RunEvent, RunUpdate } from "../../stores/events/run-event.js";

/** Options of {@link createRunResponse}. */
export interface RunResponseOptions extends EventResponseOptions {}

/**
 * Returns the response to a page that reads a run: each event with its offset as `id`, and `event: end` after the last
 * one. A page that asks for a run which the store does not have, or for events that it has dropped, receives `event: gone`.
 * `readRun` and `EventSource` send `last-event-id`, so a page can continue on any server. A page can ask for any id: with
 * `runsOf(store, user.id)` as the store, a user reads only runs that were published for that user.
 *
 * @example
 * app.get("/runs/:id", (context) => createRunResponse(runsOf(store, context.get("userId")), context.req.param("id")));
 */
export function createRunResponse(
  store: EventStore<unknown>,
  runId: string,
  options: RunResponseOptions = {},
): Response {
  assertStore(store);
  mustBeText("The run id of createRunResponse", runId);
  checkOptions(options, RESPONSE_CHECKS);
  return respondWithEvents(
    (offset, signal) => readStoredRun(store, runId, { offset, signal, startMs: options.startMs }),
    "event: end\ndata:",
    "event: gone\ndata:",
    options,
  );
}
