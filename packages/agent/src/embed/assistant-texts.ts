/** The list of all texts that the assistant has said, which the product sees live. */
import { normalizeTextForComparison } from "./outbound-duplicates.js";

export class AssistantTexts {
  /** The product's view: the same array for ever. */
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

  /** Whether the current message has added something. */
  get hasNew(): boolean {
    return this.texts.length > this.#baseline;
  }

  /** Adds a text, unless the current message has just said the same. */
  add(text: string): void {
    const trimmed = text.trim();
    if (trimmed === "") return;
    const normalized = normalizeTextForComparison(trimmed);
    if (this.#lastMessageIndex === this.#messageIndex) {
      // Texts of emoji alone are all the same once they are normalised.
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
