/** The message that a builder works on. Each change creates a new snapshot and leaves the old one unchanged. */
import type { AssistantBlock, AssistantMessage, MessageFacts, Usage } from "../types/message.js";
import { isUsual, withContent } from "./empty-message.js";

/** Up to this many blocks, every change copies the array of blocks. More do not occur, except in a flood. */
export const MOST_COPIED_BLOCKS = 1024;
/** With more blocks, so many changes share a copy. */
export const CHANGES_PER_COPY = 256;

/**
 * A change costs one copy of the array of blocks, whatever their size: 10 µs for {@link MOST_COPIED_BLOCKS}. A copy for each
 * change of a longer list would be quadratic in time, and in memory while nobody reads the snapshots. So it is copied in
 * steps: the snapshots of one step share an array, and an earlier one shows the later blocks of its step, too.
 */
export class MessageDraft {
  #snapshot: AssistantMessage;
  /** Whether {@link withContent} can copy the fields of the message one by one. */
  #usual = false;
  /** How many changes may follow before a long array is copied again. */
  #rest = 0;

  constructor(message: AssistantMessage) {
    this.#snapshot = message;
  }

  /** The current message. Later changes do not affect it, see above for a flood of blocks. */
  get snapshot(): AssistantMessage {
    return this.#snapshot;
  }

  /** How many blocks there are. */
  get length(): number {
    return this.#snapshot.content.length;
  }

  blockAt(index: number): AssistantBlock | undefined {
    return this.#snapshot.content[index];
  }

  /** Replaces a block, or adds the next one. */
  put(index: number, block: AssistantBlock): void {
    const content = this.#rest-- > 0 ? this.#snapshot.content : this.#copyContent();
    content[index] = block;
    this.#snapshot = withContent(this.#snapshot, content, this.#usual);
  }

  setUsage(usage: Usage): void {
    this.#snapshot = { ...this.#snapshot, usage };
  }

  setFacts(facts: Partial<MessageFacts & Pick<AssistantMessage, "usage">>): void {
    this.#snapshot = { ...this.#snapshot, ...facts };
    this.#usual = isUsual(this.#snapshot);
  }

  /** Sets the last fields. */
  complete(
    fields: Pick<AssistantMessage, "stopReason"> & Partial<Pick<AssistantMessage, "errorMessage" | "error">>,
  ): AssistantMessage {
    this.#snapshot = { ...this.#snapshot, ...fields };
    return this.#snapshot;
  }

  #copyContent(): AssistantBlock[] {
    this.#rest = this.length < MOST_COPIED_BLOCKS ? 0 : CHANGES_PER_COPY - 1;
    return this.#snapshot.content.slice();
  }
}

/**
 * A list with one more item, for a snapshot. As with blocks, a long list is copied in steps: each item would otherwise copy all
 * those before it, and every queued event keep its copy. An earlier snapshot of a step shows the later items of its step, too.
 */
export function withItem<TItem>(list: TItem[] | undefined, item: TItem): TItem[] {
  if (!list) return [item];
  if (list.length % CHANGES_PER_COPY === 0 || list.length < CHANGES_PER_COPY) return [...list, item];
  list.push(item);
  return list;
}
