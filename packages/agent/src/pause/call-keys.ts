/** The keys of calls, from which the ids of their requests are made: no two calls of a conversation have the same. */
import type { AgentMessage } from "../types/message.js";

type KeyOf = (toolCallId: string) => string;

/** The keys of a conversation, which each of its calls needs. */
const keys = new WeakMap<readonly AgentMessage[], { last: AgentMessage | undefined; length: number; keyOf: KeyOf }>();

/** Returns a function that makes the key of a call, from which the ids of its requests are made. */
export function createKeys(messages: readonly AgentMessage[]): KeyOf {
  const known = keys.get(messages);
  const [last, { length }] = [messages.at(-1), messages];
  if (known && known.last === last && known.length === length) return known.keyOf;
  const keyOf = countKeys(messages);
  keys.set(messages, { last, length, keyOf });
  return keyOf;
}

function countKeys(messages: readonly AgentMessage[]): KeyOf {
  const counts = new Map<string, number>();
  for (const message of messages)
    for (const block of message.role === "assistant" ? message.content : [])
      if (block.type === "toolCall" || block.type === "serverTool")
        counts.set(block.id, (counts.get(block.id) ?? 0) + 1);
  return (id) => {
    // A provider may choose any id. Those of requests are made from keys with these characters, and no two may be the same.
    const key = id.replace(/[%~!?/]/g, "%$&");
    // Some providers repeat ids in every response.
    const count = counts.get(id) ?? 1;
    return count > 1 ? `${key}~${count}` : key;
  };
}
