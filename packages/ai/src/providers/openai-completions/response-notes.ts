/** Facts of chat responses that become diagnostics. */
import type { MessageSink } from "../../message/index.js";
import { isRecord } from "../../utils/is-object.js";
import { Logprobs } from "../logprobs.js";

type Fields = Record<string, unknown>;

/** Azure, "Content filtering: annotations" (2026-11). */
export interface WireFilterResults {
  prompt_filter_results?: unknown;
}

export class NoteReader {
  readonly #logprobs = new Logprobs(["content", "refusal"]);
  #filter: Fields = {};

  addLogprobs(logprobs: unknown): void {
    this.#logprobs.add(logprobs);
  }

  /** Each chunk rates only its own piece of the response, so a later clean result must not replace a finding. */
  addFilterResults(results: unknown): void {
    if (!isRecord(results)) return;
    const known = isRecord(this.#filter["response"]) ? this.#filter["response"] : {};
    const kept = Object.entries(known).filter(([name, result]) => isFinding(result) && !isFinding(results[name]));
    const merged = { ...known, ...results, ...Object.fromEntries(kept) };
    if (Object.keys(merged).length > 0) this.#filter["response"] = merged;
  }

  addPromptResults({ prompt_filter_results: results }: WireFilterResults): void {
    if (Array.isArray(results) && results.length > 0) this.#filter["prompt"] = results;
  }

  /** Adds the diagnostics for what has arrived since the last time. */
  write(sink: MessageSink): void {
    this.#logprobs.write(sink);
    if (Object.keys(this.#filter).length > 0) sink.note("content_filter", this.#filter);
    this.#filter = {};
  }
}

function isFinding(result: unknown): boolean {
  return isRecord(result) && (result["filtered"] === true || result["detected"] === true);
}
