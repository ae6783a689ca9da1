/** The message that a builder works on. Each change creates a new snapshot and leaves the old one unchanged. */
import type { AssistantBlock, AssistantMessage, MessageFacts } from "../types/message.js";
import type { Usage } from "../types/usage.js";
import { BlockList } from "./block-list.js";
import { isUsual, withContent } from "./empty-message.js";
import { createLongMessage } from "./long-message.js";

/** Up to this many blocks, copying the array is the fastest way. */
const MOST_COPIED_BLOCKS = 256;

export class MessageDraft {
  #snapshot: AssistantMessage;
  /** Whether {@link withContent} can copy the fields of the message one by one. */
  #usual = false;
  /** The content and the other fields of a message with more than {@link MOST_COPIED_BLOCKS} blocks. */
  #long: { facts: AssistantMessage; blocks: BlockList } | undefined;
  #length = 0;

  constructor(message: AssistantMessage) {
    this.#snapshot = message;
  }

  /** The current message. Later changes do not affect it. */
  get snapshot(): AssistantMessage {
    return this.#snapshot;
  }

  /** How many blocks there are. */
  get length(): number {
    return this.#length;
  }

  blockAt(index: number): AssistantBlock | undefined {
    return this.#long ? this.#long.blocks.at(index) : this.#snapshot.content[index];
  }

  /** Replaces a block, or adds the next one. */
  put(index: number, block: AssistantBlock): void {
    if (index === this.#length) this.#length++;
    if (this.#long) {
      this.#show(this.#long.facts, this.#long.blocks.with(index, block));
      return;
    }
    const content = this.#snapshot.content.slice();
    content[index] = block;
    if (this.#length > MOST_COPIED_BLOCKS) this.#show({ ...this.#snapshot, content: [] }, BlockList.from(content));
    else this.#snapshot = withContent(this.#snapshot, content, this.#usual);
  }

  setUsage(usage: Usage): void {
    this.#set({ usage });
  }

  setFacts(facts: Partial<MessageFacts & Pick<AssistantMessage, "usage">>): void {
    this.#set(facts);
    this.#usual = !this.#long && isUsual(this.#snapshot);
  }

  /** Sets the last fields. The result is plain data, however many blocks there are. */
  complete(
    fields: Pick<AssistantMessage, "stopReason"> & Partial<Pick<AssistantMessage, "errorMessage" | "error">>,
  ): AssistantMessage {
    this.#snapshot = { ...this.#snapshot, ...fields };
    return this.#snapshot;
  }

  #set(fields: Partial<AssistantMessage>): void {
    if (this.#long) this.#show({ ...this.#long.facts, ...fields }, this.#long.blocks);
    else this.#snapshot = { ...this.#snapshot, ...fields };
  }

  #show(facts: AssistantMessage, blocks: BlockList): void {
    this.#long = { facts, blocks };
    this.#snapshot = createLongMessage(facts, blocks);
  }
}
