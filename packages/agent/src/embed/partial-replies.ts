/** Reports a response while it grows: its text, and its reasoning to products that show it. */

import type { AssistantMessage } from "pi-ai";
import type { Callbacks } from "./callbacks.js";
import { hasReplyContent, MAX_PENDING, type ReplyDirectiveCodec, type ReplyPayload } from "./reply-directives.js";
import type { TextEvent } from "./text-accumulator.js";

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

/** Reads each delta once; with directives, also the rest of its line. So a delta costs the same at the end of a response. */
export class PartialReplies {
  readonly #callbacks: Callbacks;
  readonly #onPartialReply: PartialReplyCallback | undefined;
  readonly #line: DirectiveLine | undefined;
  #text = "";
  #emitted = false;
  /** The text no longer continues the one that was reported. */
  #rewound = false;
  /** The media that were found since the last report. */
  #media: string[] = [];

  constructor(
    callbacks: Callbacks,
    codec: ReplyDirectiveCodec | undefined,
    onPartialReply: PartialReplyCallback | undefined,
  ) {
    this.#callbacks = callbacks;
    this.#onPartialReply = onPartialReply;
    this.#line = codec && new DirectiveLine(codec);
  }

  start(): void {
    this.#reset();
    this.#emitted = false;
  }

  push(visible: string): void {
    if (visible === "" || !this.#onPartialReply) return;
    const { removed, added, mediaUrls } = this.#line?.push(visible) ?? { removed: 0, added: visible, mediaUrls: [] };
    this.#media.push(...mediaUrls);
    if (removed > 0) {
      this.#text = this.#text.slice(0, Math.max(0, this.#text.length - removed)) + added;
      this.#rewound = true;
      // Not reported by itself: the next report replaces what was shown.
      return;
    }
    // White space between the reasoning and the reply belongs to neither.
    const delta = this.#text === "" ? added.trimStart() : added;
    this.#text += delta;
    if (delta !== "" || this.#media.length > 0) this.#emit(this.#rewound ? "" : delta, this.#media);
  }

  /** Reports the complete response if nothing was reported yet, or if it differs from what was reported. */
  converge(reply: ReplyPayload): void {
    const { text = "", mediaUrls } = reply;
    const differs = text !== "" && (this.#rewound || text.trimEnd() !== this.#text.trimEnd());
    if (this.#emitted ? differs : hasReplyContent(reply)) {
      const continues = !this.#rewound && text.startsWith(this.#text);
      const delta = continues ? text.slice(this.#text.length) : "";
      this.#text = text;
      this.#emit(delta, mediaUrls);
    }
    this.#reset();
  }

  #emit(delta: string, mediaUrls: string[] = []): void {
    this.#emitted = true;
    this.#rewound = false;
    this.#media = [];
    const text = this.#text;
    const reply: PartialReply = mediaUrls.length > 0 ? { text, delta, mediaUrls } : { text, delta };
    this.#callbacks.run("onPartialReply", this.#onPartialReply, reply);
  }

  #reset(): void {
    this.#text = "";
    this.#rewound = false;
    this.#media = [];
    this.#line?.reset();
  }
}

interface LineChange {
  /** How many characters of the text so far are void. */
  removed: number;
  /** The text after the rest. */
  added: string;
  /** The media that were not found before. */
  mediaUrls: readonly string[];
}

/** Finds the directives of the last line, which may be complete only with a later piece. */
class DirectiveLine {
  readonly #codec: ReplyDirectiveCodec;
  /** The end of the text that may become part of a directive: at most the last line, and at most a limit. */
  #raw = "";
  /** The part of that text which is shown. */
  #shown = "";
  #mediaCount = 0;

  constructor(codec: ReplyDirectiveCodec) {
    this.#codec = codec;
  }

  push(piece: string): LineChange {
    const all = this.#raw + piece;
    const kept = this.#codec.stripTrailing(all);
    const isHeld = all.length - kept.length <= MAX_PENDING && all.startsWith(kept);
    const read = isHeld ? kept : all;
    const { text = "", mediaUrls = [] } = read === "" ? {} : this.#codec.parse(read);
    const continues = text.startsWith(this.#shown);
    const change: LineChange = {
      removed: continues ? 0 : this.#shown.length,
      added: continues ? text.slice(this.#shown.length) : text,
      mediaUrls: mediaUrls.slice(this.#mediaCount),
    };
    this.#settle(read, all.slice(read.length), { text, count: mediaUrls.length });
    return change;
  }

  reset(): void {
    this.#raw = "";
    this.#shown = "";
    this.#mediaCount = 0;
  }

  /** A line that has ended cannot become a directive, and one that is too long is not kept. */
  #settle(read: string, held: string, { text, count }: { text: string; count: number }): void {
    const lineStart = read.lastIndexOf("\n") + 1;
    const rest = read.length - lineStart > MAX_PENDING ? "" : read.slice(lineStart);
    this.#raw = rest + held;
    if (rest === read) {
      this.#shown = text;
      this.#mediaCount = count;
      return;
    }
    const parsed = rest === "" ? {} : this.#codec.parse(rest);
    const shown = parsed.text ?? "";
    this.#shown = text.endsWith(shown) ? shown : "";
    this.#mediaCount = parsed.mediaUrls?.length ?? 0;
  }
}

/** When reasoning is reported: never, at the end of a message, or also while it streams. */
export type ReasoningMode = "off" | "on" | "stream";

/** `text` is the whole reasoning so far. */
export type ReasoningCallback = (text: string, options: { final: boolean }) => void | Promise<void>;

const SEPARATOR = "\n\n";

export class ReasoningReplies {
  readonly #callbacks: Callbacks;
  readonly #mode: ReasoningMode;
  readonly #onReasoning: ReasoningCallback | undefined;
  #text = "";
  /** The text of the current block. */
  #block = "";
  #lastSent: string | undefined;

  constructor(callbacks: Callbacks, mode: ReasoningMode, onReasoning: ReasoningCallback | undefined) {
    this.#callbacks = callbacks;
    this.#mode = mode;
    this.#onReasoning = onReasoning;
  }

  start(): void {
    this.#text = "";
    this.#block = "";
    this.#lastSent = undefined;
  }

  update({ type, delta, content }: TextEvent): void {
    if (this.#mode !== "stream") return;
    if (type === "thinking_start") this.#block = "";
    let added = "";
    if (typeof delta === "string") added = delta;
    else if (typeof content === "string" && content.startsWith(this.#block)) added = content.slice(this.#block.length);
    if (added === "") return;
    const separator = this.#block === "" && this.#text !== "" ? SEPARATOR : "";
    this.#block += added;
    this.#text += separator + added;
    this.#callbacks.run("onReasoning", this.#onReasoning, this.#text, { final: false });
  }

  /** Reports the reasoning of the final message once. */
  finish(message: AssistantMessage): void {
    this.#text = "";
    this.#block = "";
    if (this.#mode === "off") return;
    const text = message.content
      .flatMap((block) => (block.type === "thinking" && block.thinking !== "" ? [block.thinking] : []))
      .join(SEPARATOR);
    if (text === "" || text === this.#lastSent) return;
    this.#lastSent = text;
    this.#callbacks.run("onReasoning", this.#onReasoning, text, { final: true });
  }
}
