/** The live list of all texts of the assistant. */
import { normalizeTextForComparison } from "./outbound-duplicates.js";

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
