/** The events of a run as a page receives them: without data that earlier events contain, and without system prompts. */
import type { AssistantMessage, AssistantMessageEvent } from "pi-ai";
import { isNote, isRecord } from "pi-ai/call";
import { type MarkMessage, marksOf } from "../../pause/index.js";
import type { AgentEvent, ChildEvent } from "../../types/event.js";
import type { AgentMessage } from "../../types/message.js";
import type { EarlierMark, Pause } from "../../types/pause.js";

/** A change of the streaming message: text that was added to a block, or a whole block. */
export type RunUpdate =
  | { type: "text_delta" | "thinking_delta" | "toolcall_delta"; contentIndex: number; delta: string }
  | { type: string; contentIndex: number; block: AssistantMessage["content"][number] };

/**
 * An event of a run as sent to a page: an `AgentEvent` without snapshots and without messages that were sent before. A
 * `snapshot` replaces all events before it, and holds the whole conversation.
 */
export type RunEvent =
  | Exclude<AgentEvent, { type: "message_update" | "turn_end" | "agent_end" | "child_event" }>
  | { type: "message_update"; update: RunUpdate }
  | { type: "turn_end" }
  | { type: "agent_end"; pause?: Pause }
  | (Omit<ChildEvent, "event"> & { event: RunEvent })
  | { type: "snapshot"; messages: AgentMessage[]; streamingMessage?: AgentMessage };

/** A page does not get the system prompt. */
export function tellsNote(event: AgentEvent): boolean {
  return event.type === "child_event" ? tellsNote(event.event) : "message" in event && isNote(event.message);
}

export function withoutNotes(messages: readonly AgentMessage[]): AgentMessage[] {
  return messages.flatMap((message) => (isNote(message) ? [] : [forPage(message)]));
}

/** Nor those of the agents of tools, whose conversations a call that has paused keeps. */
export function forPage(message: AgentMessage): AgentMessage {
  if (marksOf(message).length === 0) return message;
  const { pause, marks, ...rest } = message as MarkMessage; // Only they have marks; a result has no `pause`.
  return {
    ...rest,
    ...(pause && { pause: withoutKeptNotes(pause) }),
    ...(marks && { marks: marks.map(withoutKeptNotes) }),
  } as AgentMessage; // The same fields.
}

function withoutKeptNotes<TMark extends EarlierMark>(mark: TMark): TMark {
  const kept: unknown = "resume" in mark ? mark.resume : undefined;
  const messages: unknown = isRecord(kept) ? kept["messages"] : undefined;
  if (!Array.isArray(messages)) return mark;
  return {
    ...mark,
    resume: { ...Object(kept), messages: withoutNotes(messages.filter(isRecord) as unknown as AgentMessage[]) },
  }; // As `agentTool` keeps them.
}

export function toRunEvent(event: AgentEvent): RunEvent | undefined {
  if (event.type === "turn_end") return { type: event.type };
  if (event.type === "agent_end") return { type: event.type, ...(event.pause && { pause: event.pause }) };
  if (event.type === "child_event") {
    const child = toRunEvent(event.event);
    return child && { ...event, event: child };
  }
  if (event.type === "message_start" || event.type === "message_end")
    return { ...event, message: forPage(event.message) };
  if (event.type !== "message_update") return event;
  const update = toUpdate(event.assistantMessageEvent);
  return update && { type: "message_update", update };
}

function toUpdate(event: AssistantMessageEvent): RunUpdate | undefined {
  if (!("contentIndex" in event)) return undefined;
  const { type, contentIndex } = event;
  if (type === "text_delta" || type === "thinking_delta" || type === "toolcall_delta")
    return { type, contentIndex, delta: event.delta };
  const block = event.partial.content[contentIndex];
  return block && { type, contentIndex, block };
}
