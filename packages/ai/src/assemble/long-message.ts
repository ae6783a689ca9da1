/**
 * Snapshots of a message with very many blocks. Their `content` is built when it is first read, because most snapshots
 * are never looked at.
 */
import type { AssistantBlock, AssistantMessage } from "../types/message.js";
import type { BlockList } from "./block-list.js";

interface LongMessage {
  /** The message without its content. */
  facts: AssistantMessage;
  blocks: BlockList;
}

const longMessages = new WeakMap<AssistantMessage, LongMessage>();

/** A snapshot whose content is built when it is read. */
export function createLongMessage(facts: AssistantMessage, blocks: BlockList): AssistantMessage {
  const message = Object.defineProperty({ ...facts }, "content", { get: () => blocks.toArray() });
  longMessages.set(message, { facts, blocks });
  return message;
}

/** One block of a snapshot. Use it in place of `message.content[index]` where every event is looked at. */
export function blockAt(message: AssistantMessage, index: number): AssistantBlock | undefined {
  const long = longMessages.get(message);
  return long ? long.blocks.at(index) : message.content[index];
}

/** A shallow copy. Use it in place of `{ ...message }` where every event is copied: a spread builds the content. */
export function copyMessage(message: AssistantMessage): AssistantMessage {
  const long = longMessages.get(message);
  return long ? createLongMessage(long.facts, long.blocks) : { ...message };
}
