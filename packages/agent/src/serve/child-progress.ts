/** What pages see of an agent that a tool runs, before the result of the call. */
import type { AgentEvent, ChildEvent } from "../types/event.js";

/** The latest text of the agent, in the form of the call's result. */
export interface ChildProgress {
  toolCallId: string;
  toolName: string;
  partialResult: { content: { type: "text"; text: string }[]; details: object };
}

/** Returns undefined for an event that adds no text. The texts of agents below it are not shown. */
export function toChildProgress({ parentToolCallId, toolName, event }: ChildEvent): ChildProgress | undefined {
  const text = event.type === "message_end" ? wordsOf(event) : "";
  if (!text) return undefined;
  return { toolCallId: parentToolCallId, toolName, partialResult: { content: [{ type: "text", text }], details: {} } };
}

function wordsOf({ message }: Extract<AgentEvent, { type: "message_end" }>): string {
  if (message.role !== "assistant") return "";
  return message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
