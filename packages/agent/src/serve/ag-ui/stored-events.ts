/** Continues the events that an earlier process has published. */
import { type ContinuedRun, continueRun, type StepFormat, type TakeItem } from "../continued-run.js";
import type { AgUiEvent, AgUiOptions } from "./ag-ui-event.js";

export function continueEvents(
  run: ContinuedRun<AgUiEvent>,
  { runId }: Pick<AgUiOptions, "runId">,
): Promise<TakeItem<AgUiEvent>> {
  const format: StepFormat<AgUiEvent> = {
    resumed: { type: "CUSTOM", name: "run_resumed", value: {} },
    steps: () => markOf,
    isStart: ({ type }) => type === "RUN_STARTED",
    isEnd: ({ type }) => type === "RUN_FINISHED" || type === "RUN_ERROR",
    startOver: ([, ...events]) => [...closeAll(events), ...listMessages(events).map(toReset)],
    cutOff: closeAll,
    rename: (event, offset) => withRunId(event, `${runId}:`, `${runId}~${offset}:`),
  };
  return continueRun(run, format);
}

function markOf({ type }: AgUiEvent): "begin" | "end" | undefined {
  if (type === "STEP_STARTED") return "begin";
  return type === "STEP_FINISHED" ? "end" : undefined;
}

/** The ends of all that has begun, in reverse order. */
function closeAll(events: readonly AgUiEvent[]): AgUiEvent[] {
  const open = new Map<string, AgUiEvent>();
  for (const event of events) {
    const end = endOf(event);
    if (end) open.set(JSON.stringify(end), end);
    else open.delete(JSON.stringify(event));
  }
  return [...open.values()].reverse();
}

/** The event that ends what an event begins. */
function endOf(event: AgUiEvent): AgUiEvent | undefined {
  switch (event.type) {
    case "STEP_STARTED":
      return { type: "STEP_FINISHED", stepName: event.stepName };
    case "TEXT_MESSAGE_START":
      return { type: "TEXT_MESSAGE_END", messageId: event.messageId };
    case "REASONING_START":
      return { type: "REASONING_END", messageId: event.messageId };
    case "REASONING_MESSAGE_START":
      return { type: "REASONING_MESSAGE_END", messageId: event.messageId };
    case "TOOL_CALL_START":
      return { type: "TOOL_CALL_END", toolCallId: event.toolCallId };
  }
  return undefined;
}

/** The messages of a step: of its response, and of the results of its tools. */
function listMessages(events: readonly AgUiEvent[]): string[] {
  const ids = events.flatMap((event) =>
    "messageId" in event ? event.messageId : "parentMessageId" in event ? event.parentMessageId : [],
  );
  return [...new Set(ids)];
}

const toReset = (messageId: string): AgUiEvent => ({ type: "CUSTOM", name: "attempt_reset", value: { messageId } });

/** Replaces the beginning of the ids of messages. */
function withRunId(event: AgUiEvent, from: string, to: string): AgUiEvent {
  const rename = (id: string): string => (id.startsWith(from) ? to + id.slice(from.length) : id);
  if ("messageId" in event) return { ...event, messageId: rename(event.messageId) };
  if ("parentMessageId" in event) return { ...event, parentMessageId: rename(event.parentMessageId) };
  if (event.type !== "CUSTOM" || event.name !== "attempt_reset") return event;
  const { messageId } = event.value as { messageId: string }; // its only value
  return { ...event, value: { messageId: rename(messageId) } };
}
