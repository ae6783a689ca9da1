/** Reports the model's reasoning to products that show it. */
import type { AssistantMessage } from "pi-ai";
import type { Callbacks } from "./callbacks.js";
import type { TextEvent } from "./text-accumulator.js";

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
