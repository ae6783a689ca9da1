/**
 * Long decode of Gemini 4: a stream ends after 65,536 tokens with `CONTINUATION` and a token, and the same request with that
 * token goes on (ai.google.dev, "Long decode"; `StreamContinuation` of @google/genai 3.3; 2026-11). A chunk in the middle
 * can carry a token, too, from which a broken stream goes on. What such a stream brought after the token comes again, and
 * is left out.
 */
import type { ResponseHops } from "../../driver/index.js";
import { ProtocolError } from "../../errors.js";
import type { UsageCounts } from "../../message/index.js";
import type { WirePart } from "./parts.js";

/** The last known value of each count. */
export interface Counts {
  prompt: number;
  cached: number;
  toolUse: number;
  response: number;
  thoughts: number | undefined;
}

/** A text that arrived in pieces, a signature alone, whose value may differ the next time, or another part as JSON. */
interface Written {
  kind: "text" | "thought" | "signature" | "part";
  text: string;
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
  /** The data since the latest token. */
  #written: Written[] = [];
  /** How much of it the present request has brought again: whole entries, and a part of the next one. */
  #again = { entries: 0, length: 0 };
  #repeats = false;

  /** The token that the next request carries. */
  get token(): string | undefined {
    return this.#latest;
  }

  /** Whether what arrives has arrived before. */
  get repeats(): boolean {
    return this.#repeats;
  }

  get usage(): UsageCounts {
    return usageOf(this.counts);
  }

  /**
   * The part, or what of it is new.
   *
   * @throws ProtocolError if a repeated request writes something else, because what was shown cannot be taken back
   */
  take(part: WirePart): WirePart | undefined {
    // Without a token nothing can come again.
    if (this.#latest === undefined) return part;
    const given = writtenOf(part);
    if (!this.#repeats) {
      this.#keep(given);
      return part;
    }
    let known = this.#written[this.#again.entries];
    if (known?.kind === "signature") this.#advance(known, known.text.length);
    if (given.kind === "signature" || given.text === "") return undefined;
    known = this.#written[this.#again.entries];
    if (!known) {
      this.#keep(given);
      return part;
    }
    if (known.kind !== given.kind) throw differs();
    if (known.text.startsWith(given.text, this.#again.length)) {
      this.#advance(known, given.text.length);
      return undefined;
    }
    const rest = known.text.slice(this.#again.length);
    const isLast = this.#again.entries === this.#written.length - 1;
    if (given.kind === "part" || !isLast || !given.text.startsWith(rest)) throw differs();
    this.#advance(known, rest.length);
    const text = given.text.slice(rest.length);
    this.#keep({ ...given, text });
    return { ...part, text };
  }

  /** Reads the token of a chunk, which comes after its content. */
  see(token: unknown): void {
    if (typeof token !== "string" || token === "" || token === this.#sent) return;
    this.expectAll();
    this.#latest = token;
    this.#written = [];
  }

  /** @throws ProtocolError if a repeated request ends before what it wrote the first time */
  expectAll(): void {
    if (this.#repeats) throw differs();
  }

  /** The request has ended with `CONTINUATION`. Returns false without a new token, with which the request would repeat itself. */
  stop(): boolean {
    this.isPending = this.#latest !== undefined && this.#latest !== this.#sent && this.#written.length === 0;
    return this.isPending;
  }

  begin(): void {
    // A request that fails and is repeated is not charged (ai.google.dev, "Billing": "Am I charged for failed requests?").
    if (this.#latest !== this.#sent) this.#before = this.sum();
    this.counts = NO_COUNTS;
    this.#sent = this.#latest;
    this.isPending = false;
    this.#again = { entries: 0, length: 0 };
    this.#repeats = this.#written.length > 0;
  }

  #keep({ kind, text }: Written): void {
    if (text === "") return;
    const last = this.#written.at(-1);
    if (last && (kind === "text" || kind === "thought") && last.kind === kind) last.text += text;
    else this.#written.push({ kind, text });
  }

  #advance(known: Written, length: number): void {
    const reached = this.#again.length + length;
    const isWhole = reached === known.text.length;
    this.#again = isWhole
      ? { entries: this.#again.entries + 1, length: 0 }
      : { entries: this.#again.entries, length: reached };
    this.#repeats = this.#again.entries < this.#written.length;
  }

  /** The usage of all requests. Each pays for its prompt, in which the response so far counts. */
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

function writtenOf({ thoughtSignature: signature, ...part }: WirePart): Written {
  if (part.text === "") return { kind: "signature", text: signature === undefined ? "" : "signature" };
  if (typeof part.text === "string") return { kind: part.thought === true ? "thought" : "text", text: part.text };
  return { kind: "part", text: JSON.stringify(part) };
}

function differs(): ProtocolError {
  return new ProtocolError("The response broke off, and the repeated request wrote another one", { retryable: false });
}
