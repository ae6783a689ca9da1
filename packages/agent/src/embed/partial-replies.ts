/** Reports a streaming response, for previews. */
import type { Callbacks } from "./callbacks.js";
import {
  createReplyDirectiveAccumulator,
  type ReplyDirectiveAccumulator,
  type ReplyDirectiveCodec,
  type ReplyPayload,
} from "./reply-directives.js";

/** A partial response. */
export interface PartialReply {
  /** The whole text so far. */
  text: string;
  /** The added text; `""` when the text does not continue the previous one. */
  delta: string;
  /** Media of the added text. */
  mediaUrls?: string[];
}

/** Receives a partial response. */
export type PartialReplyCallback = (reply: PartialReply) => void | Promise<void>;

/** Cleans each delta once, so that a delta costs the same at the start and the end of a long response. */
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

  /** Reports the complete response if nothing was reported yet, or if it differs from what was reported. */
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
    // White space between the reasoning and the reply belongs to neither.
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
