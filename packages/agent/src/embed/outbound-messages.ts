/** Tracks what tools send to people: pending while a call runs, committed if it succeeds, dropped if it fails. */
import {
  isMessagingToolDuplicateNormalized,
  MIN_DUPLICATE_LENGTH,
  normalizeTextForComparison,
} from "./duplicate-replies.js";

/** The message of a tool call that sends something to people. */
export interface OutboundSend<TTarget> {
  /** Default: the argument `content`, or else `message`. */
  text?: string;
  /** The recipient, in the product's own form. */
  target: TTarget;
}

/** How repeated texts are detected. */
export interface DedupeOptions {
  /** Texts that are shorter after normalization are never duplicates. Default 10. */
  minLength?: number | undefined;
  /** The number of sent texts and targets to remember. Default 200. */
  maxEntries?: number | undefined;
  /** Default: lower case, no emoji, spaces collapsed. */
  normalize?: ((text: string) => string) | undefined;
}

const MAX_ENTRIES = 200;

export class OutboundMessages<TTarget> {
  readonly #minLength: number;
  readonly #maxEntries: number;
  readonly #normalize: (text: string) => string;
  readonly #pendingTexts = new Map<string, string>();
  readonly #pendingTargets = new Map<string, TTarget>();
  readonly #texts: string[] = [];
  readonly #normalizedTexts: string[] = [];
  readonly #targets: TTarget[] = [];

  constructor({
    minLength = MIN_DUPLICATE_LENGTH,
    maxEntries = MAX_ENTRIES,
    normalize = normalizeTextForComparison,
  }: DedupeOptions = {}) {
    this.#minLength = minLength;
    this.#maxEntries = Math.max(0, maxEntries);
    this.#normalize = normalize;
  }

  get texts(): string[] {
    return this.#texts.slice();
  }

  get targets(): TTarget[] {
    return this.#targets.slice();
  }

  get hasSentText(): boolean {
    return this.#texts.length > 0;
  }

  begin(toolCallId: string, { text, target }: OutboundSend<TTarget>, args: Record<string, unknown>): void {
    this.#pendingTargets.set(toolCallId, target);
    const sent = text ?? args["content"] ?? args["message"];
    if (typeof sent === "string" && sent !== "") this.#pendingTexts.set(toolCallId, sent);
  }

  /** A failed send must not suppress the same reply later. */
  end(toolCallId: string, succeeded: boolean): void {
    const text = this.#pendingTexts.get(toolCallId);
    this.#pendingTexts.delete(toolCallId);
    if (succeeded && text !== undefined) {
      this.#add(this.#texts, text);
      this.#add(this.#normalizedTexts, this.#normalize(text));
    }
    const hadTarget = this.#pendingTargets.has(toolCallId);
    const target = this.#pendingTargets.get(toolCallId);
    this.#pendingTargets.delete(toolCallId);
    // `has` was true, so the cast is safe: a target may itself be undefined.
    if (succeeded && hadTarget) this.#add(this.#targets, target as TTarget);
  }

  hasSent(text: string): boolean {
    if (this.#normalizedTexts.length === 0) return false;
    return isMessagingToolDuplicateNormalized(this.#normalize(text), this.#normalizedTexts, this.#minLength);
  }

  clear(): void {
    this.#pendingTexts.clear();
    this.#pendingTargets.clear();
    for (const list of [this.#texts, this.#normalizedTexts, this.#targets]) list.length = 0;
  }

  #add<TEntry>(list: TEntry[], entry: TEntry): void {
    list.push(entry);
    if (list.length > this.#maxEntries) list.splice(0, list.length - this.#maxEntries);
  }
}
