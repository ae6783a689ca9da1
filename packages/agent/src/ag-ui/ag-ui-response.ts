import type { RunSource } from "../run-source/run-source.js";
import { type EventResponseOptions, respondWithEvents, streamItems } from "../sse/event-response.js";
import { type AgUiStreamOptions, toAgUiStream } from "./to-ag-ui-stream.js";

/** How a run is served. */
export interface AgUiResponseOptions extends AgUiStreamOptions, EventResponseOptions {}

/**
 * The response to `HttpAgent` of `@ag-ui/client`, as server-sent events. The run ends with the connection.
 *
 * @example
 * return agUiResponse(agent, { request, threadId, runId, run: () => agent.prompt("Hi") });
 */
export function agUiResponse(source: RunSource, options: AgUiResponseOptions): Response {
  const read = (_: number, signal: AbortSignal) => streamItems(toAgUiStream(source, options), signal);
  return respondWithEvents(read, ": end", ": gone", options);
}
