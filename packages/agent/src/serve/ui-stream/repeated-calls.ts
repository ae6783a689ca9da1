/**
 * Calls that a page has twice: if the user writes a message while calls wait, their results come in the page's next message,
 * which repeats the calls in a step of its own.
 */
import type { Message } from "pi-ai";
import { isMark } from "../../pause/index.js";

/** Moves the results of repeated calls to where the calls are first. */
export function joinRepeatedCalls(messages: readonly Message[]): Message[] {
  /** Each message, and the results that follow it. */
  const lists: Message[][] = [];
  /** By the id of a call without a result: the list that begins with its response. */
  const open = new Map<string, Message[]>();
  for (const message of messages) {
    if (message.role === "toolResult") {
      (open.get(message.toolCallId) ?? lists.at(-1))?.push(message);
      if (!isMark(message)) open.delete(message.toolCallId);
    } else if (!repeatsCalls(message, open)) {
      const list: Message[] = [message];
      lists.push(list);
      for (const id of callsOf(message)) open.set(id, list);
    }
  }
  return lists.flat();
}

/** Whether it consists of nothing but open calls. */
function repeatsCalls(message: Message, open: ReadonlyMap<string, unknown>): boolean {
  const ids = callsOf(message);
  return ids.length > 0 && ids.length === message.content.length && ids.every((id) => open.has(id));
}

function callsOf(message: Message): string[] {
  if (message.role !== "assistant") return [];
  return message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
}
