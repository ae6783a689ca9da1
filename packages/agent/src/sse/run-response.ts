/** Serves the events of a run as server-sent events. */
import type { EventStore } from "pi-ai/proxy-server";
import { type EventResponseOptions, respondWithEvents } from "./event-response.js";

/** How a run is served. */
export interface RunResponseOptions extends EventResponseOptions {}

/**
 * The response to a page that reads a run: each event with its offset as `id`, and `event: end` after the last one. The page
 * continues where it was, on any server, by `last-event-id`, as `readRun` and `EventSource` send it. Whether the page may
 * read the run is for you to check.
 *
 * @example
 * app.get("/runs/:id", (context) => createRunResponse(store, context.req.param("id"), { request: context.req.raw }));
 */
export function createRunResponse(
  store: EventStore<unknown>,
  runId: string,
  options: RunResponseOptions = {},
): Response {
  return respondWithEvents(
    (offset, signal) => store.read(runId, offset, signal),
    "event: end\ndata:",
    "event: gone\ndata:",
    options,
  );
}
