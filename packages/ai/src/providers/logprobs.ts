/** Log probabilities that arrive in pieces: lists that hold one entry for each token. */
import type { MessageSink } from "../message/index.js";
import { isRecord } from "../utils/is-object.js";

export class Logprobs {
  readonly #names: readonly string[];
  #lists: Record<string, unknown[]> = {};

  /** @param names the fields that are lists */
  constructor(names: readonly string[]) {
    this.#names = names;
  }

  add(piece: unknown): void {
    if (!isRecord(piece)) return;
    for (const name of this.#names) {
      const entries = piece[name];
      if (!Array.isArray(entries)) continue;
      this.#lists[name] ??= [];
      for (const entry of entries) this.#lists[name]?.push(entry);
    }
  }

  /** Adds the diagnostic for what has arrived since the last time. */
  write(sink: MessageSink): void {
    if (Object.keys(this.#lists).length > 0) sink.note("logprobs", this.#lists);
    this.#lists = {};
  }
}
