import type { RunSource } from "../run-source/run-source.js";
import { type EventResponseOptions, respondWithEvents, streamItems } from "../sse/event-response.js";
import { type AgUiStreamOptions, toAgUiStream } from "./to-ag-ui-stream.js";

/** Options of {@link agUiResponse}. */
export interface AgUiResponseOptions extends AgUiStreamOptions, EventResponseOptions {}

/**
 * Returns the response to `HttpAgent` of `@ag-ui/client`, as server-sent events. Closing the connection aborts the run.
 *
 * @example
 * return agUiResponse(agent, { request, threadId, runId, run: () => agent.prompt("Hi") });
 */
export function agUiResponse(source: RunSource, options: AgUiResponseOptions): Response {
  const read = (_: number, signal: AbortSignal) => streamItems(toAgUiStream(source, options), signal);
  return respondWithEvents(read, ": end", ": gone", options);
}
