/** The conversation that a page shows. It is a file of its own, with nothing around it, because every page loads it. */
import type { MarkMessage } from "../../pause/index.js";
import type { AgentMessage } from "../../types/message.js";

/**
 * Adds a message. As in the state of an agent, a call that waits has one record, whose place each further mark and the result
 * take: what `CallRecords` does, for conversations of which nothing else is needed.
 */
export function withMessage(messages: readonly AgentMessage[], message: AgentMessage): AgentMessage[] {
  if (message.role !== "toolResult") return [...messages, message];
  const first = messages.findLastIndex(isResponse) + 1;
  const index = messages.findIndex(
    (one, at) => at >= first && one.role === "toolResult" && one.toolCallId === message.toolCallId,
  );
  const record = messages[index];
  return record && pauseOf(record) ? messages.with(index, joined(record, message)) : [...messages, message];
}

/** Messages to which {@link withMessage} adds, where a run adds many: it finds the record of a call without a search. */
export class ShownMessages {
  readonly #messages: AgentMessage[];
  /** The places of the records of calls that wait, by the ids of the calls. */
  readonly #waiting = new Map<string, number>();

  constructor(messages: AgentMessage[] = []) {
    this.#messages = messages;
    for (const [index, message] of messages.entries()) this.#note(message, index);
  }

  add(message: AgentMessage): void {
    const index = message.role === "toolResult" ? this.#waiting.get(message.toolCallId) : undefined;
    const record = index === undefined ? undefined : this.#messages[index];
    const place = index ?? this.#messages.length;
    this.#messages[place] = record ? joined(record, message) : message;
    this.#note(message, place);
  }

  copy(): AgentMessage[] {
    return this.#messages.slice();
  }

  #note(message: AgentMessage, index: number): void {
    if (isResponse(message)) this.#waiting.clear();
    if (message.role !== "toolResult") return;
    if (pauseOf(message)) this.#waiting.set(message.toolCallId, index);
    else this.#waiting.delete(message.toolCallId);
  }
}

/** A message in the place of the record, whose mark it keeps. */
function joined(record: AgentMessage, message: AgentMessage): AgentMessage {
  const { marks = [], pause } = record as Partial<MarkMessage>; // Only records have them.
  const whole = { ...message, marks: [...marks, ...(pause ? [pause] : [])] };
  return whole;
}

function pauseOf(message: AgentMessage): MarkMessage["pause"] | undefined {
  return (message as Partial<MarkMessage>).pause; // Only records have one.
}

function isResponse(message: AgentMessage): boolean {
  return message.role === "assistant" && message.stopReason !== "error" && message.stopReason !== "aborted";
}
