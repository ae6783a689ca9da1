/** A response that is being received. Its row changes at most 20 times a second, however many deltas arrive. */
import type { Fields } from "./fields.js";
import type { Prompt } from "./prompt-sections.js";
import type { Run } from "./run.js";
import { titleOfMessage } from "./sections.js";

/** Milliseconds between two changes of the row. The server sends changes to the page less often than this. */
const SHOW_MS = 50;

export class OpenResponse {
  readonly prompt: Prompt;
  /** The index of its entry; undefined outside a run. */
  index: number | undefined;
  /** The response so far. */
  message: Fields = {};
  /** Whether a part of the response has arrived. */
  started = false;
  /** The timer that updates the row. Undefined while the row is up to date. */
  #growing: NodeJS.Timeout | undefined;

  constructor(prompt: Prompt) {
    this.prompt = prompt;
  }

  /** Takes the response after another part has arrived. Called for every delta, so it must take constant time. */
  grow(message: Fields, run: Run | undefined, now: () => number): void {
    this.message = message;
    if (this.#growing) return;
    const { index } = this;
    const entry = index === undefined ? undefined : run?.entries[index];
    if (!run || !entry || index === undefined) return;
    if (entry.firstMs === undefined && entry.startedAt !== undefined)
      run.update(index, { firstMs: Math.max(0, now() - entry.startedAt) });
    const show = (): void => {
      this.#growing = undefined;
      run.update(index, { title: titleOfMessage(this.message) });
    };
    this.#growing = setTimeout(show, SHOW_MS).unref();
  }

  /** Cancels an update of the row that is due. */
  stop(): void {
    clearTimeout(this.#growing);
  }
}
