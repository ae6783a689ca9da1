import { createJoinedStream } from "../serve/joined-stream.js";
import { followRun, type RunSource, type RunStart } from "../serve/run-source.js";
import type { AgUiEvent } from "./ag-ui-event.js";
import type { AgUiOptions } from "./ag-ui-options.js";
import { RunMapping } from "./event-mapping.js";

/** Options of {@link toAgUiStream}. */
export interface AgUiStreamOptions extends AgUiOptions, RunStart {}

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
  return createJoinedStream<AgUiEvent>(join, ({ add, end }) => {
    const mapping = new RunMapping(options);
    const addAll = (events: readonly AgUiEvent[] | undefined): void => events?.forEach(add);
    addAll(mapping.start());
    const leave = followRun(source, options, {
      event(event) {
        const events = mapping.map(event);
        if (event.type !== "agent_end") addAll(events);
        addAll(options.addEvents?.(event));
        if (event.type === "agent_end") addAll(events);
      },
      wait(requests) {
        addAll(mapping.interrupt(requests));
        end();
      },
      end(error) {
        if (error) addAll(mapping.fail(error));
        end();
      },
    });
    return () => leave(true);
  });
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
