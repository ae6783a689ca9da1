/** The answer while it is being written, for a preview that shows it grow. */
import type { Callbacks } from "./callbacks.js";
import {
  createReplyDirectiveAccumulator,
  type ReplyDirectiveAccumulator,
  type ReplyDirectiveCodec,
  type ReplyPayload,
} from "./reply-directives.js";

/** The answer as far as it has come. */
export interface PartialReply {
  /** Everything so far. */
  text: string;
  /** What was added; `""` when the text is not a continuation of the one before it. */
  delta: string;
  /** Media that came with what was added. */
  mediaUrls?: string[];
}

/** Takes an answer that grows. */
export type PartialReplyCallback = (reply: PartialReply) => void | Promise<void>;

/** Each piece is cleaned once, so that a delta costs the same at the start and at the end of a long answer. */
export class PartialReplies {
  readonly #callbacks: Callbacks;
  readonly #onPartialReply: PartialReplyCallback | undefined;
  readonly #directives: ReplyDirectiveAccumulator | undefined;
  #text = "";
  #emitted = false;

  constructor(
    callbacks: Callbacks,
    codec: ReplyDirectiveCodec | undefined,
    onPartialReply: PartialReplyCallback | undefined,
  ) {
    this.#callbacks = callbacks;
    this.#onPartialReply = onPartialReply;
    this.#directives = codec && createReplyDirectiveAccumulator(codec);
  }

  start(): void {
    this.#text = "";
    this.#emitted = false;
    this.#directives?.reset();
  }

  push(visible: string): void {
    if (visible === "" || !this.#onPartialReply) return;
    const payload = this.#directives ? this.#directives.consume(visible) : { text: visible };
    if (payload) this.#add(payload.text ?? "", payload.mediaUrls);
  }

  /** The answer is finished: shows it where nothing was shown, and sets right what differs from it. */
  converge({ text = "", mediaUrls }: ReplyPayload): void {
    if (!this.#emitted) {
      if (text !== "" || mediaUrls?.length) this.#emit(text, text, mediaUrls);
    } else if (text !== "" && text.trimEnd() !== this.#text.trimEnd()) {
      this.#emit(text, text.startsWith(this.#text) ? text.slice(this.#text.length) : "", mediaUrls);
    }
    this.#text = "";
    this.#directives?.reset();
  }

  #add(text: string, mediaUrls?: string[]): void {
    // The space that reasoning leaves before the answer is not a part of it.
    const delta = this.#text === "" ? text.trimStart() : text;
    if (delta !== "" || mediaUrls?.length) this.#emit(this.#text + delta, delta, mediaUrls);
  }

  #emit(text: string, delta: string, mediaUrls?: string[]): void {
    this.#text = text;
    this.#emitted = true;
    const reply: PartialReply = mediaUrls?.length ? { text, delta, mediaUrls } : { text, delta };
    this.#callbacks.run("onPartialReply", this.#onPartialReply, reply);
  }
}
