/** Delivers a response in blocks, for products that send messages. */
import type { AssistantTexts, FinalText } from "./assistant-texts.js";
import type { BlockChunker } from "./block-chunker.js";
import type { Callbacks } from "./callbacks.js";
import type { OutboundMessages } from "./outbound-messages.js";
import { createReplyDirectiveAccumulator, type ReplyDirectiveCodec, type ReplyPayload } from "./reply-directives.js";

/** Receives a block of the response that is ready to be sent. */
export type BlockReplyCallback = (reply: ReplyPayload) => void | Promise<void>;

export interface BlockReplyParts {
  callbacks: Callbacks;
  texts: AssistantTexts;
  outbound: OutboundMessages<unknown>;
  onBlockReply: BlockReplyCallback | undefined;
  /** Without one, all text up to a boundary is one block. */
  chunker: BlockChunker | undefined;
  blockReplyBreak: "text_end" | "message_end";
  codec: ReplyDirectiveCodec | undefined;
}

export class BlockReplies {
  readonly #parts: BlockReplyParts;
  readonly #directives: ReturnType<typeof createReplyDirectiveAccumulator>;
  readonly #emit = (text: string): void => this.#emitBlock(text);
  /** Text that was not emitted, if there is no chunker. */
  #buffer = "";
  #last: string | undefined;
  /** Whether a block of the message was emitted, or skipped because a tool had sent it. */
  #hasOffered = false;

  constructor(parts: BlockReplyParts) {
    this.#parts = parts;
    this.#directives = createReplyDirectiveAccumulator(parts.codec);
  }

  start(): void {
    this.#last = undefined;
    this.#hasOffered = false;
    this.#clear();
  }

  append(visible: string): void {
    if (visible === "") return;
    const { chunker, blockReplyBreak } = this.#parts;
    if (!chunker) {
      this.#buffer += visible;
      return;
    }
    chunker.append(visible);
    if (blockReplyBreak === "text_end") chunker.drain({ force: false, emit: this.#emit });
  }

  /** A text block has ended: emits the buffer if that is a boundary. */
  endText(): void {
    if (this.#parts.blockReplyBreak === "text_end") this.flush();
  }

  /** The message has ended: emits the rest. `isComplete` says that all of the text was appended. */
  finish({ text, cleaned }: FinalText, isComplete: boolean): void {
    const { chunker, texts } = this.#parts;
    const whole = text === "" ? (cleaned.text ?? "") : text;
    if (this.#hasOffered) {
      this.flush();
    } else if (chunker) {
      // The final text replaces a streamed text that differs.
      if (!isComplete || text === "") refill(chunker, whole);
      this.flush();
    } else {
      if (!texts.hasNew) texts.add(cleaned.text ?? "");
      this.#deliverWhole(whole);
    }
    const held = this.#directives.consume("", { final: true });
    if (held) this.#deliver(held);
    if (!texts.hasNew) texts.add(cleaned.text ?? "");
    this.#clear();
  }

  #clear(): void {
    this.#buffer = "";
    this.#parts.chunker?.reset();
    this.#directives.reset();
  }

  /** Emits everything that is buffered. */
  flush(): void {
    const { chunker } = this.#parts;
    if (chunker?.hasBuffered()) {
      chunker.drain({ force: true, emit: this.#emit });
      chunker.reset();
    } else if (this.#buffer !== "") {
      // A chunk, by contrast, may begin with an indented line.
      const text = this.#buffer.trim();
      this.#buffer = "";
      this.#emitBlock(text);
    }
  }

  #emitBlock(text: string): void {
    const block = trimBlock(text);
    if (block === "") return;
    this.#hasOffered = true;
    if (block === this.#last || this.#wasSent(block)) return;
    this.#last = block;
    const payload = this.#directives.consume(block);
    if (payload) this.#deliver(payload);
  }

  #deliver(payload: ReplyPayload): void {
    if (payload.text) this.#parts.texts.add(payload.text);
    this.#parts.callbacks.run("onBlockReply", this.#parts.onBlockReply, payload);
  }

  #deliverWhole(text: string): void {
    if (text === "" || text === this.#last || this.#wasSent(text)) return;
    this.#last = text;
    const payload = this.#directives.consume(text, { final: true });
    if (payload) this.#parts.callbacks.run("onBlockReply", this.#parts.onBlockReply, payload);
  }

  #wasSent(text: string): boolean {
    const wasSent = this.#parts.outbound.hasSent(text);
    if (wasSent) this.#parts.callbacks.debug("Skipped a block reply: a messaging tool has already sent it");
    return wasSent;
  }
}

function refill(chunker: BlockChunker, text: string): void {
  chunker.reset();
  chunker.append(text);
}

/** Without blank lines at the start and spaces at the end; the indent of the first line stays. */
function trimBlock(text: string): string {
  return text.trimEnd().replace(/^(?:[ \t\r]*\n)+/, "");
}
