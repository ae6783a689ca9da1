import type { EventStore } from "pi-ai/proxy-server";
import type { RunSource } from "../serve/run-source.js";
import { type EventResponseOptions, readStoredRun, respondWithEvents, streamItems } from "../sse/event-response.js";
import { toUIMessageStream, type UIStreamOptions } from "./to-ui-message-stream.js";
import type { UIMessageChunk } from "./ui-message-chunk.js";

/** A run that `publishUIMessages` publishes. */
export interface StoredRun {
  /** Where the events are kept. */
  store: EventStore<UIMessageChunk>;
  /** The id of the run in the store. */
  runId: string;
}

/** Options of {@link uiMessageResponse}. */
export interface UIResponseOptions extends UIStreamOptions, EventResponseOptions {}

const END = "data: [DONE]";
const GONE = `data: ${JSON.stringify({ type: "error", errorText: "The run can no longer be read" })}\n\n${END}`;

/**
 * Returns the response to `useChat`. With an agent or the events of a run, closing the connection aborts the run, which is
 * what `stop()` of `useChat` does. With `{ store, runId }` the run continues, and a page reads it from the beginning or
 * after the `last-event-id` of its request. Check first that the user may read the run.
 *
 * @example
 * return uiMessageResponse(agent, { request, run: () => agent.prompt("Hi") });
 */
export function uiMessageResponse(source: RunSource | StoredRun, options: UIResponseOptions = {}): Response {
  const read = (offset: number, signal: AbortSignal) =>
    "store" in source
      ? readStoredRun(source.store, source.runId, { offset, signal, startMs: options.startMs })
      : streamItems(toUIMessageStream(source, options), signal);
  const response = respondWithEvents(read, END, GONE, options);
  response.headers.set("x-vercel-ai-ui-message-stream", "v1");
  return response;
}
