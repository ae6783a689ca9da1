/** The texts of the assistant: of a response while it arrives, of a complete response, and the live list of all. */
import type { AssistantMessage } from "pi-ai";
import { type BlockTagOptions, createBlockTagState, stripBlockTags } from "./block-tags.js";
import { normalizeTextForComparison } from "./outbound-messages.js";
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

// The text of a response, from events that may be repeated, late or missing.

/** The inner event of a `message_update`. Fields are unknown, because sources differ in what they send. */
export interface TextEvent {
  /** The type of the stream event, such as `text_delta`. */
  type: string;
  /** The new text. */
  delta?: unknown;
  /** The whole text, of a `text_end`. */
  content?: unknown;
  /** The index of the block in the content. */
  contentIndex?: unknown;
}

/** So many characters before a text may be another one: a message of many texts is not searched whole for each of them. */
const SEARCHED = 65_536;

/**
 * The part of `content` that is new.
 *
 * | relation | added |
 * |---|---|
 * | content starts with the text | what follows it |
 * | the text starts with content | nothing: an older, shorter repeat |
 * | content does not occur near the end of the text | all of content |
 * | content occurs there | nothing |
 */
export function mergeTextContent(buffer: string, content: string): string {
  if (content.startsWith(buffer)) return content.slice(buffer.length);
  return buffer.slice(-(content.length + SEARCHED)).includes(content) ? "" : content;
}

/** The text of one response. It only grows until {@link TextAccumulator.reset}. */
export class TextAccumulator {
  readonly #scope: "message" | "contentIndex";
  /** Text by content index; in the scope `message`, all of it is at index 0. */
  readonly #buffers = new Map<number, string>();
  /** The block that grows, whose end repeats its text: so the whole text is not read for each block. */
  #block: { index: unknown; text: string } = { index: undefined, text: "" };
  #endedText: string | undefined;

  constructor(scope: "message" | "contentIndex" = "message") {
    this.#scope = scope;
  }

  /** @returns the text that the event adds; may be empty */
  add({ type, delta, content, contentIndex }: TextEvent): string {
    const index = this.#scope === "contentIndex" && typeof contentIndex === "number" ? contentIndex : 0;
    const buffer = this.#buffers.get(index) ?? "";
    let chunk = "";
    if (typeof delta === "string" && delta !== "") chunk = delta;
    // After the end of the message, the end of a text is late, and the final message had all of it.
    else if (type !== "text_delta" && typeof content === "string" && this.#endedText === undefined) {
      const isKnown = this.#block.index === contentIndex && this.#block.text === content;
      if (!isKnown) chunk = mergeTextContent(buffer, content);
    }
    if (this.#block.index !== contentIndex) this.#block = { index: contentIndex, text: "" };
    this.#block.text += chunk;
    if (chunk !== "") this.#buffers.set(index, buffer + chunk);
    return chunk;
  }

  /**
   * Adds the parts of the final texts that no event contained.
   *
   * @returns the added text; `undefined` if the final text does not begin with the accumulated one
   */
  addMissing(texts: readonly { index: number; text: string }[]): string | undefined {
    const final = this.#scope === "message" ? [{ index: 0, text: texts.map(({ text }) => text).join("") }] : texts;
    if (!final.every(({ index, text }) => text.startsWith(this.#buffers.get(index) ?? ""))) return undefined;
    return final.map(({ index, text }) => this.#addRest(index, text)).join("");
  }

  /** The message has ended: a late `text_end` adds nothing. */
  end(text: string): void {
    this.#forget();
    this.#endedText = text;
  }

  /** Whether a message with this text has just ended. */
  hasEnded(text: string): boolean {
    return this.#endedText === text;
  }

  reset(): void {
    this.#forget();
    this.#endedText = undefined;
  }

  #forget(): void {
    this.#buffers.clear();
    this.#block = { index: undefined, text: "" };
  }

  #addRest(index: number, text: string): string {
    const buffer = this.#buffers.get(index) ?? "";
    this.#buffers.set(index, text);
    return text.slice(buffer.length);
  }
}
