/** The ways to send a run as AG-UI events: as a stream, to a store, and as the response of a server. */
import type { EventStore } from "pi-ai/proxy-server";
import { type Checks, checkOptions, mustBeFunction, mustBeText } from "../../checks.js";
import { type PageMapping, publishStream, streamRun } from "../page-stream.js";
import { type ListenableAgent, type RunSource, type RunStart, START_CHECKS } from "../run-source.js";
import { type EventResponseOptions, RESPONSE_CHECKS, readSource, respondWithEvents } from "../sse/event-response.js";
import type { AgUiEvent, AgUiOptions } from "./ag-ui-event.js";
import { RunMapping } from "./event-mapping.js";
import { continueEvents } from "./stored-events.js";

/** Options of {@link toAgUiStream}. */
export interface AgUiStreamOptions extends AgUiOptions, RunStart {}

const STREAM: Checks<keyof AgUiStreamOptions> = {
  ...START_CHECKS,
  threadId: mustBeText,
  runId: mustBeText,
  state: mustBeFunction,
  errorText: mustBeFunction,
  addEvents: mustBeFunction,
};

/**
 * Converts the next run of an agent, or the events of a run, to events of AG-UI 1.0. Cancelling the stream aborts the run.
 * If the reader is slow, waiting deltas of the same block are joined.
 *
 * A tool call that needs an approval ends the stream with an interrupt. For the rest of the run, send the answer to the
 * engine and call this function again with `answers`: with `run` for an agent of a new process, which repeats the run up to
 * there, and without it, before the answer is sent, for the agent that waits.
 *
 * @example
 * const { threadId, runId } = await request.json();
 * const stream = toAgUiStream(agent, { threadId, runId, run: () => agent.prompt("Hi") });
 */
export function toAgUiStream(source: RunSource, options: AgUiStreamOptions): ReadableStream<AgUiEvent> {
  checkOptions(options, STREAM);
  return streamEvents(source, options);
}

function streamEvents(source: RunSource, options: AgUiStreamOptions): ReadableStream<AgUiEvent> {
  // A client knows the events by them.
  mustBeText("threadId", options.threadId);
  mustBeText("runId", options.runId);
  const map = (add: (event: AgUiEvent) => void): PageMapping => {
    const mapping = new RunMapping(options);
    const addAll = (events: readonly AgUiEvent[] | undefined): void => events?.forEach(add);
    addAll(mapping.start());
    return {
      event(event) {
        const events = mapping.map(event);
        if (event.type !== "agent_end") addAll(events);
        addAll(options.addEvents?.(event));
        // Nothing may come after the end.
        if (event.type === "agent_end") addAll(events);
      },
      wait: (requests) => addAll(mapping.interrupt(requests)),
      fail: (error) => addAll(mapping.fail(error)),
    };
  };
  return streamRun(source, options, { join, map });
}

/** Joins two deltas of the same block. Returns undefined for any other two events. */
function join(one: AgUiEvent, other: AgUiEvent): AgUiEvent | undefined {
  if (!("delta" in one && "delta" in other) || one.type !== other.type) return undefined;
  const isSame =
    "toolCallId" in one ? "toolCallId" in other && one.toolCallId === other.toolCallId : sameMessage(one, other);
  return isSame ? { ...one, delta: one.delta + other.delta } : undefined;
}

function sameMessage(one: AgUiEvent, other: AgUiEvent): boolean {
  return "messageId" in one && "messageId" in other && one.messageId === other.messageId;
}

/**
 * Publishes the next run of an agent to a store. `agUiResponse({ store, runId })` serves it to clients, even after a lost
 * connection and on other web servers. The run continues without a reader; `stopRun(store, runId)` stops it.
 *
 * If another process continues a durable run under the same id, the turns that are stored are not published again. One that
 * was not finished starts over: its messages so far are void, as after a response that starts over.
 *
 * An interrupt ends what is published. The rest of the run is a run of its own in AG-UI: publish it under another id.
 *
 * @param runId the id of the run in the store. Choose it on the server, because the `runId` of the options comes from the
 * client, which could send the id of another user's run
 * @returns resolves when all events are stored; rejects if the store fails, but the run continues
 *
 * @example
 * publishAgUi(agent, store, id, { threadId, runId, run: () => agent.prompt("Hi") }).catch(console.error);
 */
export function publishAgUi(
  agent: ListenableAgent,
  store: EventStore<AgUiEvent>,
  runId: string,
  options: AgUiStreamOptions,
): Promise<void> {
  const stream = toAgUiStream(agent, options);
  return publishStream(agent, stream, { store, runId }, () => continueEvents({ store, runId, agent }, options));
}

/** A run that `publishAgUi` has published, or is publishing. */
export interface StoredAgUiRun {
  /** The store that holds its events. */
  store: EventStore<AgUiEvent>;
  /** The id of the run in the store. */
  runId: string;
}

/** Options of {@link agUiResponse}. */
export interface AgUiResponseOptions extends AgUiStreamOptions, EventResponseOptions {}

const RESPONSE: Checks<keyof AgUiResponseOptions> = { ...STREAM, ...RESPONSE_CHECKS };
const GONE: AgUiEvent = { type: "RUN_ERROR", message: "The run can no longer be read", code: "gone" };

/**
 * Returns the response to a request of `HttpAgent` of `@ag-ui/client`: server-sent events, each with its offset as `id`. With
 * an agent or the events of a run, closing the connection aborts the run. With `{ store, runId }` the run continues, and the
 * client reads it from the beginning or after the `last-event-id` of its request. With `runsOf(store, user.id)` as the store, a
 * user reads only runs that were published for that user.
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
  checkOptions(options, RESPONSE);
  const create = (live: RunSource) => streamEvents(live, options as AgUiResponseOptions); // Its overload requires the ids.
  const read = readSource<AgUiEvent>(source, create, options.startMs);
  return respondWithEvents(read, ": end", `data: ${JSON.stringify(GONE)}`, options);
}
