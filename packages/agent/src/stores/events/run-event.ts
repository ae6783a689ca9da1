/** The events of a run as a page receives them: without data that earlier events contain. */
import type { AssistantMessage, AssistantMessageEvent } from "pi-ai";
import type { AgentEvent, ChildEvent } from "../../types/event.js";
import type { AgentMessage } from "../../types/message.js";

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
  | { type: "agent_end" }
  | (Omit<ChildEvent, "event"> & { event: RunEvent })
  | { type: "snapshot"; messages: AgentMessage[]; streamingMessage?: AgentMessage };

export function toRunEvent(event: AgentEvent): RunEvent | undefined {
  if (event.type === "turn_end" || event.type === "agent_end") return { type: event.type };
  if (event.type === "child_event") {
    const child = toRunEvent(event.event);
    return child && { ...event, event: child };
  }
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
