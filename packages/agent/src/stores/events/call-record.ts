/** The conversation that a page shows. It is a file of its own, with nothing around it, because every page loads it. */
import type { MarkMessage } from "../../pause/index.js";
import type { AgentMessage } from "../../types/message.js";

/** The places of the records of calls that wait, by the ids of the calls. */
type Waiting = Map<string, number>;

/** Those of the newest list of each conversation, so that it is not searched for each message. */
const newest = /* @__PURE__ */ new WeakMap<readonly AgentMessage[], { waiting: Waiting; length: number }>();

/**
 * Adds a message. As in the state of an agent, a call that waits has one record, whose place each further mark and the result
 * take: what `CallRecords` does, for conversations of which nothing else is needed.
 */
export function withMessage(messages: readonly AgentMessage[], message: AgentMessage): AgentMessage[] {
  const known = newest.get(messages);
  const next = messages.slice();
  // A page may have added messages of its own, and may add to an older list once more.
  const waiting = known?.length === next.length ? known.waiting : waitingIn(next);
  newest.delete(messages);
  new ShownMessages(next, waiting).add(message);
  newest.set(next, { waiting, length: next.length });
  return next;
}

/** Messages to which a run adds many: finds the record of a call without a search. */
export class ShownMessages {
  readonly #messages: AgentMessage[];
  readonly #waiting: Waiting;

  constructor(messages: AgentMessage[] = [], waiting: Waiting = waitingIn(messages)) {
    this.#messages = messages;
    this.#waiting = waiting;
  }

  add(message: AgentMessage): void {
    const index = message.role === "toolResult" ? this.#waiting.get(message.toolCallId) : undefined;
    const record = index === undefined ? undefined : this.#messages[index];
    const place = index ?? this.#messages.length;
    this.#messages[place] = record ? joined(record, message) : message;
    note(this.#waiting, message, place);
  }

  copy(): AgentMessage[] {
    return this.#messages.slice();
  }
}

function waitingIn(messages: readonly AgentMessage[]): Waiting {
  const waiting: Waiting = new Map();
  for (const [index, message] of messages.entries()) note(waiting, message, index);
  return waiting;
}

function note(waiting: Waiting, message: AgentMessage, index: number): void {
  if (isResponse(message)) waiting.clear();
  if (message.role !== "toolResult") return;
  if (pauseOf(message)) waiting.set(message.toolCallId, index);
  else waiting.delete(message.toolCallId);
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
