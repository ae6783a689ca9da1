/** The texts of the assistant: of a response while it arrives, of a complete response, and the live list of all. */
import type { AssistantMessage } from "pi-ai";
import { type BlockTagOptions, createBlockTagState, stripBlockTags } from "./block-tags.js";
import { normalizeTextForComparison } from "./duplicate-replies.js";
import type { ReplyDirectiveCodec, ReplyPayload } from "./reply-directives.js";

export class AssistantTexts {
  /** Exposed to the product, so always the same array. */
  readonly texts: string[] = [];
  #messageIndex = -1;
  #baseline = 0;
  #lastMessageIndex = -1;
  #lastTrimmed: string | undefined;
  #lastNormalized: string | undefined;

  startMessage(): void {
    this.#messageIndex++;
    this.#baseline = this.texts.length;
    this.#lastMessageIndex = -1;
    this.#lastTrimmed = undefined;
    this.#lastNormalized = undefined;
  }

  /** Whether the current message has added a text. */
  get hasNew(): boolean {
    return this.texts.length > this.#baseline;
  }

  /** Adds a text, unless it repeats the previous one of the current message. */
  add(text: string): void {
    const trimmed = text.trim();
    if (trimmed === "") return;
    const normalized = normalizeTextForComparison(trimmed);
    if (this.#lastMessageIndex === this.#messageIndex) {
      // All texts of emoji alone are equal after normalization.
      if (trimmed === this.#lastTrimmed || (normalized !== "" && normalized === this.#lastNormalized)) return;
    }
    this.texts.push(text);
    this.#lastMessageIndex = this.#messageIndex;
    this.#lastTrimmed = trimmed;
    this.#lastNormalized = normalized;
  }

  clear(): void {
    this.texts.length = 0;
    this.#baseline = 0;
    this.#lastMessageIndex = -1;
  }
}

export interface FinalText {
  /** Without tags, directives still in it. Empty when the tags left nothing. */
  text: string;
  /** The text without directives; the fallback if the tags left no text. */
  cleaned: ReplyPayload;
}

export interface IndexedText {
  index: number;
  text: string;
}

/** The text blocks of a response, with their content indexes. */
export function listTexts(message: AssistantMessage): IndexedText[] {
  const texts: IndexedText[] = [];
  for (const [index, block] of message.content.entries())
    if (block.type === "text") texts.push({ index, text: block.text });
  return texts;
}

export function toFinalText(rawText: string, tags: BlockTagOptions, codec: ReplyDirectiveCodec): FinalText {
  const text = stripBlockTags(rawText, createBlockTagState(), tags).trim();
  const cleaned = text === "" ? {} : codec.parse(codec.stripTrailing(text));
  if (cleaned.text || cleaned.mediaUrls?.length) return { text, cleaned };
  const candidate = findFallback(rawText, tags);
  if (candidate === "") return { text, cleaned };
  const parsed = codec.parse(codec.stripTrailing(candidate));
  return { text, cleaned: { ...parsed, text: parsed.text ?? candidate } };
}

/**
 * The fallback for a text that the tags leave empty, such as a reply without its final tags: the
 * text without final tags. Reasoning in closed tags is not a reply and stays hidden.
 */
function findFallback(rawText: string, { thinking, final }: BlockTagOptions): string {
  const state = createBlockTagState();
  const spoken = stripBlockTags(rawText, state, { ...(thinking && { thinking }), final: [] });
  const raw = (state.thinking ? rawText : spoken).trim();
  const withoutFinal = stripBlockTags(raw, createBlockTagState(), { thinking: [], ...(final && { final }) });
  return withoutFinal.trim() || raw;
}
