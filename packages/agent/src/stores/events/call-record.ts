/** The conversation that a page shows. It is a file of its own, with nothing around it, because every page loads it. */
import type { MarkMessage } from "../../pause/index.js";
import type { AgentMessage } from "../../types/message.js";

/**
 * Adds a message. As in the state of an agent, a call that waits has one record, whose place each further mark and the result
 * take: what `CallRecords` does, for conversations of which nothing else is needed.
 */
export function withMessage(messages: AgentMessage[], message: AgentMessage): AgentMessage[] {
  if (message.role !== "toolResult") return [...messages, message];
  const first = messages.findLastIndex((one) => one.role === "assistant" && !FAILURES.has(one.stopReason)) + 1;
  const index = messages.findIndex(
    (one, at) => at >= first && one.role === "toolResult" && one.toolCallId === message.toolCallId,
  );
  const { marks = [], pause } = (messages[index] ?? {}) as Partial<MarkMessage>; // Only records have them.
  const record = { ...message, marks: [...marks, ...(pause ? [pause] : [])] };
  return pause ? messages.with(index, record) : [...messages, message];
}

const FAILURES: ReadonlySet<string> = new Set(["error", "aborted"]);
