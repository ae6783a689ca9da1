/** A response that is under way. Its row changes a few times a second, however many deltas arrive. */
import type { Fields } from "./fields.js";
import { titleOfMessage } from "./message-sections.js";
import type { Prompt } from "./prompt.js";
import type { Run } from "./run.js";

/** Milliseconds between two changes of the row of a response that grows. The page shows no more. */
const SHOW_MS = 50;

export class OpenResponse {
  readonly prompt: Prompt;
  /** Of its entry; undefined outside a run. */
  index: number | undefined;
  /** As far as it has arrived. */
  message: Fields = {};
  started = false;
  /** Changes its row; absent while the row shows what has arrived. */
  #growing: NodeJS.Timeout | undefined;

  constructor(prompt: Prompt) {
    this.prompt = prompt;
  }

  /** A part has arrived. This is on the path of every delta. */
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

  /** Nothing more of it changes the row. */
  stop(): void {
    clearTimeout(this.#growing);
  }
}
