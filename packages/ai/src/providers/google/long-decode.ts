/**
 * Long decode of Gemini 4: a stream ends after 65,536 tokens with `CONTINUATION` and a token, and the same request with that
 * token goes on (ai.google.dev, "Long decode"; `StreamContinuation` of @google/genai 3.3; 2026-11). A chunk in the middle
 * can carry a token, too, from which a broken stream goes on.
 */
import type { ResponseHops } from "../../driver/index.js";
import type { UsageCounts } from "../../message/index.js";

/** The last known value of each count. */
export interface Counts {
  prompt: number;
  cached: number;
  toolUse: number;
  response: number;
  thoughts: number | undefined;
}

const NO_COUNTS: Counts = { prompt: 0, cached: 0, toolUse: 0, response: 0, thoughts: undefined };

export class LongDecode implements ResponseHops {
  /** The counts of the present request: a chunk has its running total. */
  counts: Counts = NO_COUNTS;
  isPending = false;
  /** The sum of the requests before; undefined in the first. */
  #before: UsageCounts | undefined;
  /** The token that the present request has sent. */
  #sent: string | undefined;
  #latest: string | undefined;
  /** Whether content has arrived since the latest token. */
  #hasMore = false;

  get token(): string | undefined {
    return this.#hasMore ? undefined : this.#latest;
  }

  get usage(): UsageCounts {
    return usageOf(this.counts);
  }

  /** Reads a chunk, whose token comes after its content. */
  see(token: unknown, hasContent: boolean): void {
    if (hasContent) this.#hasMore = true;
    if (typeof token !== "string" || token === "" || token === this.#sent) return;
    this.#latest = token;
    this.#hasMore = false;
  }

  /** The request has ended with `CONTINUATION`. Returns false without a new token, with which the request would repeat itself. */
  stop(): boolean {
    this.isPending = this.#latest !== undefined && this.#latest !== this.#sent && !this.#hasMore;
    return this.isPending;
  }

  begin(): void {
    // A request that is repeated has brought nothing.
    if (this.#latest !== this.#sent) this.#before = this.sum();
    this.counts = NO_COUNTS;
    this.#sent = this.#latest;
    this.isPending = false;
  }

  /** What all requests used. Each pays for its prompt, in which the response so far counts. */
  sum(): UsageCounts {
    const own = usageOf(this.counts);
    const before = this.#before;
    if (!before) return own;
    const { input = 0, output = 0, cacheRead = 0 } = own;
    const isCounted = input + output + cacheRead > 0;
    return {
      input: input + (before.input ?? 0),
      output: output + (before.output ?? 0),
      cacheRead: cacheRead + (before.cacheRead ?? 0),
      reasoning:
        own.reasoning === undefined && before.reasoning === undefined
          ? undefined
          : (own.reasoning ?? 0) + (before.reasoning ?? 0),
      contextTokens: isCounted ? input + output + cacheRead : before.contextTokens,
    };
  }
}

function usageOf({ prompt, cached, toolUse, response, thoughts }: Counts): UsageCounts {
  return {
    input: Math.max(0, prompt + toolUse - cached),
    output: response + (thoughts ?? 0),
    cacheRead: cached,
    reasoning: thoughts,
  };
}
