/** Gathers the text of an answer from events that may repeat themselves, come late or be missing. */

/** An inner event of `message_update`, read with care: sources differ in what they send. */
export interface TextEvent {
  /** The type of a stream's event, `text_delta` for example. */
  type: string;
  /** What is new. */
  delta?: unknown;
  /** The whole text, of a `text_end`. */
  content?: unknown;
  /** The block's place in the answer. */
  contentIndex?: unknown;
}

/**
 * What a `content` adds to the text gathered so far.
 *
 * | relation | added |
 * |---|---|
 * | content starts with the text | what follows it |
 * | the text starts with content | nothing: an older, shorter repeat |
 * | content does not occur in the text | all of content |
 * | content occurs inside the text | nothing |
 */
export function mergeTextContent(buffer: string, content: string): string {
  if (content.startsWith(buffer)) return content.slice(buffer.length);
  return buffer.includes(content) ? "" : content;
}

/** The text of one answer. It only ever grows, until {@link TextAccumulator.reset}. */
export class TextAccumulator {
  readonly #scope: "message" | "contentIndex";
  /** Text by content index; under the scope of the message all of it is at 0. */
  readonly #buffers = new Map<number, string>();
  #endedText: string | undefined;

  constructor(scope: "message" | "contentIndex" = "message") {
    this.#scope = scope;
  }

  /** @returns what the event adds, `""` for nothing */
  add({ type, delta, content, contentIndex }: TextEvent): string {
    const index = this.#scope === "contentIndex" && typeof contentIndex === "number" ? contentIndex : 0;
    const buffer = this.#buffers.get(index) ?? "";
    let chunk = "";
    if (typeof delta === "string" && delta !== "") chunk = delta;
    else if (type !== "text_delta" && typeof content === "string" && !this.#endedText?.includes(content))
      chunk = mergeTextContent(buffer, content);
    if (chunk !== "") this.#buffers.set(index, buffer + chunk);
    return chunk;
  }

  /**
   * Adds what the final texts, by content index, have that no event brought.
   *
   * @returns what was added; `undefined` if what was gathered is not the beginning of it
   */
  addMissing(texts: readonly { index: number; text: string }[]): string | undefined {
    const final = this.#scope === "message" ? [{ index: 0, text: texts.map(({ text }) => text).join("") }] : texts;
    if (!final.every(({ index, text }) => text.startsWith(this.#buffers.get(index) ?? ""))) return undefined;
    return final.map(({ index, text }) => this.#addRest(index, text)).join("");
  }

  /** The message is over: a repeat of its text that comes late adds nothing. */
  end(text: string): void {
    this.#buffers.clear();
    this.#endedText = text;
  }

  /** Whether a message with this text has just ended. */
  hasEnded(text: string): boolean {
    return this.#endedText === text;
  }

  reset(): void {
    this.#buffers.clear();
    this.#endedText = undefined;
  }

  #addRest(index: number, text: string): string {
    const buffer = this.#buffers.get(index) ?? "";
    this.#buffers.set(index, text);
    return text.slice(buffer.length);
  }
}
