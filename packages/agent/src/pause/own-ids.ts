/** Two calls of a response never have one id: a result, an answer or a mark could not be said to be for one of them. */
import type { AssistantMessage } from "pi-ai";
import { repeatedIdOf } from "pi-ai/call";
import type { AgentMessage } from "../types/message.js";
import { isMark } from "./call-marks.js";

/** Whether two calls of a message have one id. */
export function hasRepeatedId(message: AgentMessage): boolean {
  // An application may have put anything there.
  return message?.role === "assistant" && Array.isArray(message.content) && repeatedIdOf(message.content) !== undefined;
}

/**
 * Gives each call of a response an id of its own, and its result the same: earlier versions and other libraries kept what a
 * model had named twice. Marks belong to the first call that has no result. Returns the same list if nothing is named twice.
 *
 * @param onRename called for each response that is changed
 */
export function withOwnIds<TList extends readonly AgentMessage[]>(
  messages: TList,
  onRename?: () => void,
): TList | AgentMessage[] {
  if (!messages.some(hasRepeatedId)) return messages;
  /** By the id in the list: the ids of its calls that have no result yet. */
  let open = new Map<string, string[]>();
  return messages.map((message) => {
    if (message?.role === "assistant") {
      open = new Map();
      if (!hasRepeatedId(message)) return message;
      onRename?.();
      return { ...message, content: nameApart(message.content, open) };
    }
    if (message?.role !== "toolResult") return message;
    const ids = open.get(message.toolCallId) ?? [];
    const id = (isMark(message) ? ids[0] : ids.shift()) ?? message.toolCallId;
    return id === message.toolCallId ? message : { ...message, toolCallId: id };
  });
}

function nameApart(content: AssistantMessage["content"], open: Map<string, string[]>): AssistantMessage["content"] {
  const used = new Set<string>();
  const counts = new Map<string, number>();
  return content.map((block) => {
    if (block?.type !== "toolCall" && block?.type !== "serverTool") return block;
    const ids = open.get(block.id) ?? [];
    open.set(block.id, ids);
    let id = block.id;
    // Each number is tried once, however many calls have the id.
    for (let count = counts.get(block.id) ?? ids.length + 1; used.has(id); count++) {
      id = `${block.id}~${count}`;
      counts.set(block.id, count + 1);
    }
    used.add(id);
    ids.push(id);
    return id === block.id ? block : { ...block, id };
  });
}
