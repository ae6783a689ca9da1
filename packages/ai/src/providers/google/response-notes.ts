/** Facts that become diagnostics: safety ratings, and log probabilities if they were requested. */
import type { MessageSink } from "../../message/index.js";
import { isRecord } from "../../utils/is-object.js";

/** The fields of a candidate, or of the feedback on a prompt. */
export interface WireNotes {
  safetyRatings?: unknown;
  logprobsResult?: unknown;
}

/** The lists of `logprobsResult`: one entry for each token. */
const LOGPROB_LISTS = ["chosenCandidates", "topCandidates"] as const;

export class NoteReader {
  /** The latest safety ratings. Each chunk rates the whole response so far. */
  #ratings: unknown[] = [];
  #logprobs: Record<string, unknown[]> = {};

  add(notes: WireNotes | null | undefined): void {
    const { safetyRatings, logprobsResult } = notes ?? {};
    if (Array.isArray(safetyRatings) && safetyRatings.length > 0) this.#ratings = safetyRatings;
    if (!isRecord(logprobsResult)) return;
    for (const name of LOGPROB_LISTS) {
      const entries = logprobsResult[name];
      if (!Array.isArray(entries)) continue;
      this.#logprobs[name] ??= [];
      for (const entry of entries) this.#logprobs[name]?.push(entry);
    }
  }

  /** Adds the diagnostics for what has arrived since the last time. */
  write(sink: MessageSink): void {
    if (this.#ratings.length > 0) sink.note("safety_ratings", { ratings: this.#ratings });
    if (Object.keys(this.#logprobs).length > 0) sink.note("logprobs", this.#logprobs);
    this.#ratings = [];
    this.#logprobs = {};
  }
}
