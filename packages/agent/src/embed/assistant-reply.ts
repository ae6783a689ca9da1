/** Turns the events of assistant messages into replies. */
import type { AssistantMessage } from "pi-ai";
import { type AssistantTexts, listTexts, toFinalText } from "./assistant-texts.js";
import { resolveChunker } from "./block-chunker.js";
import { BlockReplies } from "./block-replies.js";
import { BlockTagStripper } from "./block-tags.js";
import type { Callbacks } from "./callbacks.js";
import type { EmbedReplyOptions } from "./options.js";
import type { OutboundMessages } from "./outbound-messages.js";
import { PartialReplies, ReasoningReplies } from "./partial-replies.js";
import { identityCodec, type ReplyDirectiveCodec } from "./reply-directives.js";
import { TextAccumulator, type TextEvent } from "./text-accumulator.js";

export interface AssistantReplyParts {
  callbacks: Callbacks;
  texts: AssistantTexts;
  outbound: OutboundMessages<unknown>;
}

/**
 * Text flows one way: the accumulator finds what is new, the tag stripper removes what must not be shown, and the partial
 * and the block replies receive the rest. Each character is processed once.
 */
export class AssistantReply {
  readonly #options: EmbedReplyOptions;
  readonly #callbacks: Callbacks;
  readonly #texts: AssistantTexts;
  readonly #codec: ReplyDirectiveCodec;
  readonly #accumulator: TextAccumulator;
  readonly #stripper: BlockTagStripper;
  readonly #partial: PartialReplies;
  readonly #blocks: BlockReplies;
  readonly #reasoning: ReasoningReplies;

  constructor(options: EmbedReplyOptions, { callbacks, texts, outbound }: AssistantReplyParts) {
    const { directives, blockReplyBreak = "message_end", onPartialReply, onBlockReply } = options;
    this.#options = options;
    this.#callbacks = callbacks;
    this.#texts = texts;
    const codec = directives && guardCodec(directives, callbacks);
    this.#codec = codec ?? identityCodec;
    this.#accumulator = new TextAccumulator(options.accumulate);
    this.#stripper = new BlockTagStripper(options.tags);
    this.#partial = new PartialReplies(callbacks, codec, onPartialReply);
    const chunker = resolveChunker(options.chunker);
    this.#blocks = new BlockReplies({
      callbacks,
      texts,
      outbound,
      onBlockReply,
      chunker,
      blockReplyBreak,
      codec,
    });
    this.#reasoning = new ReasoningReplies(callbacks, options.reasoning ?? "off", options.onReasoning);
  }

  /** The only event that resets the reply: the end of a text may come late or twice. */
  start(): void {
    this.reset();
    this.#texts.startMessage();
    this.#callbacks.run("onAssistantMessageStart", this.#options.onAssistantMessageStart);
  }

  update(event: TextEvent): void {
    switch (event.type) {
      case "text_start":
      case "text_delta":
      case "text_end": {
        const chunk = this.#accumulator.add(event);
        if (chunk !== "") this.#show(this.#stripper.push(chunk));
        if (event.type === "text_end") this.#blocks.endText();
        return;
      }
      case "thinking_start":
      case "thinking_delta":
      case "thinking_end":
        this.#reasoning.update(event);
        return;
      case "attempt_reset":
        // Text that was shown cannot be taken back, so the new attempt is not compared with it.
        this.#accumulator.reset();
        this.#stripper.reset();
    }
  }

  /** @returns false for a repeated end of the same message */
  end(message: AssistantMessage): boolean {
    const texts = listTexts(message);
    const rawText = texts.map(({ text }) => text).join("");
    if (rawText !== "" && this.#accumulator.hasEnded(rawText)) return false;
    // Before any of the reply: the model thought before it spoke.
    this.#reasoning.finish(message);
    const missing = this.#accumulator.addMissing(texts);
    this.#show(this.#stripper.push(missing ?? "") + this.#stripper.flush());
    const final = toFinalText(rawText, this.#options.tags ?? {}, this.#codec);
    this.#partial.converge(final.cleaned);
    this.#blocks.finish(final, missing !== undefined);
    this.#accumulator.end(rawText);
    this.#stripper.reset();
    return true;
  }

  /** Delivers the text before a tool call, because `message_end` may be late or missing. */
  flush(): void {
    this.#blocks.flush();
  }

  /** Discards the open message. */
  reset(): void {
    this.#accumulator.reset();
    this.#stripper.reset();
    this.#partial.start();
    this.#blocks.start();
    this.#reasoning.start();
  }

  #show(visible: string): void {
    this.#partial.push(visible);
    this.#blocks.append(visible);
  }
}

/** If the product's codec throws, the text is delivered without its directives. */
function guardCodec(codec: ReplyDirectiveCodec, callbacks: Callbacks): ReplyDirectiveCodec {
  return {
    parse: (text) => callbacks.ask("directives.parse", () => codec.parse(text)) ?? { text },
    stripTrailing: (text) => callbacks.ask("directives.stripTrailing", () => codec.stripTrailing(text)) ?? text,
  };
}
