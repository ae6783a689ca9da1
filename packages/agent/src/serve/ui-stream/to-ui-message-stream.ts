/** The ways to send a run as a UI message stream: as a stream, to a store, and as the response of a server. */

import type { EventStore } from "pi-ai/proxy-server";
import { type Checks, checkOptions, mustBeFunction, mustBeOneOf, mustBeText } from "../../checks.js";
import { toErrorText } from "../page-output.js";
import { publishStream, streamRun } from "../page-stream.js";
import { type ListenableAgent, type RunSource, type RunStart, START_CHECKS } from "../run-source.js";
import { type EventResponseOptions, RESPONSE_CHECKS, readSource, respondWithEvents } from "../sse/event-response.js";
import { createChunkMapping } from "./chunk-mapping.js";
import { continueChunks } from "./stored-chunks.js";
import type { UIMessageChunk, UIMessageOptions } from "./ui-message-chunk.js";

/** Options of {@link toUIMessageStream}. */
export interface UIStreamOptions extends UIMessageOptions, RunStart {}

const STREAM: Checks<keyof UIStreamOptions> = {
  ...START_CHECKS,
  sdk: mustBeOneOf([5, 6, 7]),
  messageId: mustBeText,
  errorText: mustBeFunction,
  toolOutput: mustBeFunction,
  metadata: mustBeFunction,
  addChunks: mustBeFunction,
};

/**
 * Converts the next run of an agent, or the events of a run, to the AI SDK's UI message stream. Cancelling the stream
 * aborts the run. If the reader is slow, waiting deltas of the same part are joined.
 *
 * A tool call that needs an approval ends the stream, so that `sendAutomaticallyWhen` of `useChat` can send the answer. For
 * the rest of the run, read the answers with `readUIApprovals`, send them to the engine, and call this function again with
 * `answers` and the page's `messageId`.
 *
 * @example
 * const stream = toUIMessageStream(agent, { run: () => agent.prompt("Hi") });
 */
export function toUIMessageStream(source: RunSource, options: UIStreamOptions = {}): ReadableStream<UIMessageChunk> {
  checkOptions(options, STREAM);
  return streamChunks(source, options);
}

function streamChunks(source: RunSource, options: UIStreamOptions): ReadableStream<UIMessageChunk> {
  return streamRun<UIMessageChunk>(source, options, {
    join,
    map: (add) => ({
      ...createChunkMapping(options, add),
      fail: (error) => add({ type: "error", errorText: toErrorText(error, options.errorText) }),
    }),
  });
}

/** Joins two deltas of the same part. */
function join(one: UIMessageChunk, other: UIMessageChunk): UIMessageChunk | undefined {
  if ("delta" in one && "delta" in other && one.id === other.id && one.type === other.type) {
    return { ...one, delta: one.delta + other.delta };
  }
  if ("inputTextDelta" in one && "inputTextDelta" in other && one.toolCallId === other.toolCallId) {
    return { ...one, inputTextDelta: one.inputTextDelta + other.inputTextDelta };
  }
  return undefined;
}

/**
 * Publishes the next run of an agent to a store. `uiMessageResponse({ store, runId })` serves it to pages, even after a
 * reload and on other web servers. The run continues without a reader; `stopRun(store, runId)` stops it.
 *
 * If another process continues a durable run under the same id, the steps that are stored are not published again, and one
 * that was not finished starts over.
 *
 * @returns resolves when everything is stored; rejects if the store fails, but the run continues
 *
 * @example
 * publishUIMessages(agent, store, runId, { run: () => agent.prompt("Hi") }).catch(console.error);
 */
export function publishUIMessages(
  agent: ListenableAgent,
  store: EventStore<UIMessageChunk>,
  runId: string,
  options: UIStreamOptions = {},
): Promise<void> {
  const stream = toUIMessageStream(agent, options);
  return publishStream(agent, stream, { store, runId }, () => continueChunks({ store, runId, agent }, options));
}

/** A run that `publishUIMessages` publishes. */
export interface StoredRun {
  /** Where the events are kept. */
  store: EventStore<UIMessageChunk>;
  /** The id of the run in the store. */
  runId: string;
}

/** Options of {@link uiMessageResponse}. */
export interface UIResponseOptions extends UIStreamOptions, EventResponseOptions {}

const RESPONSE: Checks<keyof UIResponseOptions> = { ...STREAM, ...RESPONSE_CHECKS };
const END = "data: [DONE]";
const GONE = `data: ${JSON.stringify({ type: "error", errorText: "The run can no longer be read" })}\n\n${END}`;

/**
 * Returns the response to `useChat`. With an agent or the events of a run, closing the connection aborts the run, which is
 * what `stop()` of `useChat` does. With `{ store, runId }` the run continues, and a page reads it from the beginning or
 * after the `last-event-id` of its request. With `runsOf(store, user.id)` as the store, a user reads only runs that were
 * published for that user.
 *
 * @example
 * return uiMessageResponse(agent, { request, run: () => agent.prompt("Hi") });
 */
export function uiMessageResponse(source: RunSource | StoredRun, options: UIResponseOptions = {}): Response {
  checkOptions(options, RESPONSE);
  const read = readSource<UIMessageChunk>(source, (live) => streamChunks(live, options), options.startMs);
  const response = respondWithEvents(read, END, GONE, options);
  response.headers.set("x-vercel-ai-ui-message-stream", "v1");
  return response;
}
