import type { EventStore } from "pi-ai/proxy-server";
import type { RunSource } from "../run-source/run-source.js";
import { type EventResponseOptions, respondWithEvents, streamItems } from "../sse/event-response.js";
import { toUIMessageStream, type UIStreamOptions } from "./to-ui-message-stream.js";
import type { UIMessageChunk } from "./ui-message-chunk.js";

/** A run that `publishUIMessages` publishes. */
export interface StoredRun {
  /** Where the events are kept. */
  store: EventStore<UIMessageChunk>;
  /** The name of the run in the store. */
  runId: string;
}

/** How a run is served. */
export interface UIResponseOptions extends UIStreamOptions, EventResponseOptions {}

const END = "data: [DONE]";
const GONE = `data: ${JSON.stringify({ type: "error", errorText: "The run can no longer be read" })}\n\n${END}`;

/**
 * The response to `useChat`. With an agent or the events of a run, the run ends with the connection: that is how `stop()` of
 * `useChat` works. With `{ store, runId }` the run goes on, and a page reads it from the beginning, or after the
 * `last-event-id` of its request. Whether the page may read the run is for you to check.
 *
 * @example
 * return uiMessageResponse(agent, { request, run: () => agent.prompt("Hi") });
 */
export function uiMessageResponse(source: RunSource | StoredRun, options: UIResponseOptions = {}): Response {
  const read = (offset: number, signal: AbortSignal) =>
    "store" in source
      ? source.store.read(source.runId, offset, signal)
      : streamItems(toUIMessageStream(source, options), signal);
  const response = respondWithEvents(read, END, GONE, options);
  response.headers.set("x-vercel-ai-ui-message-stream", "v1");
  return response;
}
