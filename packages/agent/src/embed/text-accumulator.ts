/** The text of a response, from events that may be repeated, late or missing. */

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
