/** Facts that become diagnostics: safety ratings, and log probabilities if they were requested. */
import type { MessageSink } from "../../message/index.js";
import { Logprobs } from "../logprobs.js";

/** The fields of a candidate, or of the feedback on a prompt. */
export interface WireNotes {
  safetyRatings?: unknown;
  logprobsResult?: unknown;
}

export class NoteReader {
  /** The latest safety ratings. Each chunk rates the whole response so far. */
  #ratings: unknown[] = [];
  readonly #logprobs = new Logprobs(["chosenCandidates", "topCandidates"]);

  add(notes: WireNotes | null | undefined): void {
    const { safetyRatings, logprobsResult } = notes ?? {};
    if (Array.isArray(safetyRatings) && safetyRatings.length > 0) this.#ratings = safetyRatings;
    this.#logprobs.add(logprobsResult);
  }

  /** Adds the diagnostics for what has arrived since the last time. */
  write(sink: MessageSink): void {
    if (this.#ratings.length > 0) sink.note("safety_ratings", { ratings: this.#ratings });
    this.#logprobs.write(sink);
    this.#ratings = [];
  }
}
