/** Computes the view of a run, for a page, from its events. */
import type { AssistantMessage } from "pi-ai";
import { withMessage } from "../../stores/events/call-record.js";
import type { RunEvent, RunUpdate } from "../../stores/events/run-event.js";
import type { AgentMessage } from "../../types/message.js";

/** The conversation to display. */
export interface RunView {
  /** The complete messages: those from before the run, and those of the run. */
  messages: AgentMessage[];
  /** The streaming message. The arguments of a streaming tool call are in `argumentsText`, as text. */
  streamingMessage?: AgentMessage | undefined;
}

/** Returns the view after an event: a new object if something has changed, which shares the unchanged parts. */
export function applyRunEvent(view: RunView, event: RunEvent): RunView {
  if (Array.isArray(event)) throw new TypeError("readRun yields [offset, event]. Pass the event");
  const { messages, streamingMessage: message } = view;
  switch (event.type) {
    case "snapshot":
      return { messages: event.messages, streamingMessage: event.streamingMessage };
    case "message_start":
      return { messages, streamingMessage: event.message };
    case "message_end":
      return { messages: withMessage(messages, event.message) };
    case "message_update":
      if (message?.role !== "assistant") return view;
      return { messages, streamingMessage: { ...message, content: update(message.content, event.update) } };
    default:
      return view;
  }
}

type Content = AssistantMessage["content"];

function update(content: Content, change: RunUpdate): Content {
  const { contentIndex: index } = change;
  const block = "block" in change ? change.block : grow(content[index], change.delta);
  return block ? content.toSpliced(index, 1, block) : content;
}

function grow(block: Content[number] | undefined, delta: string): Content[number] | undefined {
  if (block?.type === "text") return { ...block, text: block.text + delta };
  if (block?.type === "thinking") return { ...block, thinking: block.thinking + delta };
  if (block?.type === "toolCall") return { ...block, argumentsText: (block.argumentsText ?? "") + delta };
  return block;
}
