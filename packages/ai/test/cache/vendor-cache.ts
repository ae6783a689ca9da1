/**
 * A model of a provider's prompt cache (platform.claude.com, "Prompt caching", 2026-11): it writes an entry at each mark.
 * A mark finds the longest entry that ends at it or at one of the 19 blocks before it. A request has at most four marks,
 * and one of an hour must not follow one of five minutes.
 */
import { createHash } from "node:crypto";
import type { PromptBlock } from "./prompt-of.js";

const MAX_MARKS = 4;
const LOOKBACK = 20;

export class VendorCache {
  readonly #entries = new Set<string>();

  /**
   * Sends a request.
   *
   * @returns how many blocks of the prompt were read from the cache
   * @throws Error for marks that the provider rejects
   */
  send(prompt: readonly PromptBlock[]): number {
    checkMarks(prompt);
    const hash = createHash("sha256");
    const prefixes = prompt.map(({ text }) => hash.update(`${text.length}:${text}`).copy().digest("base64"));
    let read = 0;
    for (const [position, { mark }] of prompt.entries()) {
      if (mark === undefined) continue;
      for (let end = position; end > position - LOOKBACK && end >= read; end--)
        if (this.#entries.has(prefixes[end] ?? "")) read = Math.max(read, end + 1);
    }
    for (const [position, { mark }] of prompt.entries()) if (mark) this.#entries.add(prefixes[position] ?? "");
    return read;
  }
}

function checkMarks(prompt: readonly PromptBlock[]): void {
  const marks = prompt.flatMap(({ mark }) => mark ?? []);
  if (marks.length > MAX_MARKS) throw new Error(`A request has ${marks.length} cache marks; the limit is ${MAX_MARKS}`);
  if (marks.lastIndexOf("long") > marks.indexOf("short") && marks.includes("short"))
    throw new Error(`A long mark follows a short one: ${marks.join(", ")}`);
}
