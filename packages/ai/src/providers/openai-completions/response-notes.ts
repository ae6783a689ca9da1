/** Facts of chat responses that become diagnostics. */
import type { MessageSink } from "../../message/index.js";
import { isRecord } from "../../utils/is-object.js";

type Fields = Record<string, unknown>;

/** Azure, "Content filtering: annotations" (2026-11). */
export interface WireFilterResults {
  prompt_filter_results?: unknown;
}

/** The lists of `logprobs`: one entry for each token. */
const LOGPROB_LISTS = ["content", "refusal"] as const;

export class NoteReader {
  #logprobs: Record<string, unknown[]> = {};
  #filter: Fields = {};

  addLogprobs(logprobs: unknown): void {
    if (!isRecord(logprobs)) return;
    for (const name of LOGPROB_LISTS) {
      const entries = logprobs[name];
      if (!Array.isArray(entries)) continue;
      this.#logprobs[name] ??= [];
      for (const entry of entries) this.#logprobs[name]?.push(entry);
    }
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
    if (Object.keys(this.#logprobs).length > 0) sink.note("logprobs", this.#logprobs);
    if (Object.keys(this.#filter).length > 0) sink.note("content_filter", this.#filter);
    this.#logprobs = {};
    this.#filter = {};
  }
}

function isFinding(result: unknown): boolean {
  return isRecord(result) && (result["filtered"] === true || result["detected"] === true);
}
