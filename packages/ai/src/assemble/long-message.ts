/**
 * Snapshots of a message with very many blocks. Their `content` is built when it is first read, because most snapshots
 * are never read.
 */
import type { AssistantBlock, AssistantMessage } from "../types/message.js";
import { processState } from "../utils/process-state.js";
import type { BlockList } from "./block-list.js";

interface LongMessage {
  /** The message without its content. */
  facts: AssistantMessage;
  blocks: BlockList;
}

const longMessages = /* @__PURE__ */ processState("long messages", () => new WeakMap<AssistantMessage, LongMessage>());

/** A snapshot whose content is built when it is read. */
export function createLongMessage(facts: AssistantMessage, blocks: BlockList): AssistantMessage {
  const message = Object.defineProperty({ ...facts }, "content", { get: () => blocks.toArray() });
  longMessages.set(message, { facts, blocks });
  return message;
}

/** Returns one block of a snapshot. Use it instead of `message.content[index]` in code that runs for every event. */
export function blockAt(message: AssistantMessage, index: number): AssistantBlock | undefined {
  const long = longMessages.get(message);
  return long ? long.blocks.at(index) : message.content[index];
}

/** Copies a message shallowly. Use it instead of `{ ...message }` for every event, because a spread builds the content. */
export function copyMessage(message: AssistantMessage): AssistantMessage {
  const long = longMessages.get(message);
  return long ? createLongMessage(long.facts, long.blocks) : { ...message };
}
