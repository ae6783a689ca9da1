/** Maps chunks of Google's streamGenerateContent to operations on the sink. */
import type { WireMapping } from "../../driver/index.js";
import { type MessageSink, tokenCount } from "../../message/index.js";
import { createStreamError } from "../../transport/index.js";
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import { firstIndexed, isText } from "../../utils/read-text.js";
import type { Ending } from "../chat-ending.js";
import { FunctionCallReader } from "./function-calls.js";
import { GroundingReader, type WireMetadata } from "./grounding.js";
import { LongDecode } from "./long-decode.js";
import { mapMedia } from "./media.js";
import { ProseReader, type WirePart } from "./parts.js";
import { NoteReader, type WireNotes } from "./response-notes.js";
import { isPartContent, ServerToolReader } from "./server-tools.js";
import { withCamelCase } from "./snake-case.js";

interface WireCandidate extends WireMetadata, WireNotes {
  /** Some servers send a text. */
  index?: number | string | null;
  content?: unknown;
  finishReason?: string | null;
  finishMessage?: string | null;
  continuationToken?: unknown;
}

interface WireUsage {
  promptTokenCount?: unknown;
  cachedContentTokenCount?: unknown;
  toolUsePromptTokenCount?: unknown;
  candidatesTokenCount?: unknown;
  thoughtsTokenCount?: unknown;
}

interface WireChunk {
  responseId?: string | null;
  modelVersion?: string | null;
  candidates?: (WireCandidate | null)[] | null;
  promptFeedback?: ({ blockReason?: string | null; blockReasonMessage?: string | null } & WireNotes) | null;
  usageMetadata?: WireUsage | null;
  type?: unknown;
  error?: unknown;
}

const WITHHELD: Ending = { reason: "error", kind: "content_filter" };
const FAULTY: Ending = { reason: "error", kind: "protocol" };

/**
 * Values of `finishReason` (ai.google.dev, "GenerateContentResponse: FinishReason", and the types of @google/genai 3.3.0,
 * 2026-11); others are errors too.
 */
const ENDINGS: Readonly<Record<string, Ending>> = {
  STOP: { reason: "stop" },
  MAX_TOKENS: { reason: "length" },
  SAFETY: WITHHELD,
  RECITATION: WITHHELD,
  BLOCKLIST: WITHHELD,
  PROHIBITED_CONTENT: WITHHELD,
  SPII: WITHHELD,
  MODEL_ARMOR: WITHHELD,
  IMAGE_SAFETY: WITHHELD,
  IMAGE_PROHIBITED_CONTENT: WITHHELD,
  IMAGE_RECITATION: WITHHELD,
  // "Request was filtered by an escalation rule."
  ESCALATION: WITHHELD,
  // "The user account is limited or disabled due to Prohibited Use Policy (PUP) violations."
  PUP_LIMITED_DISABLED: { reason: "error", kind: "permission" },
  // "Request has at least one thought signature missing."
  MISSING_THOUGHT_SIGNATURE: { reason: "error", kind: "invalid_request" },
  // Chat Completions' words, which gateways pass through that convert the api (2026-11).
  LENGTH: { reason: "length" },
  TOOL_CALLS: { reason: "stop" },
  CONTENT_FILTER: WITHHELD,
};

/** So often the facts about the whole response are written before its end: each time costs as much as the response is long. */
const EARLY_COMPLETIONS = 8;

/** The error text for a response that ends too early. */
export const GOOGLE_ENDED_EARLY = "Google stream ended without a finishReason";

/** @param provider named in errors */
export function createGoogleMapping(provider: string): WireMapping {
  const response = new GoogleResponse(provider);
  return Object.assign((event: unknown, sink: MessageSink) => response.map(event, sink), {
    end: (sink: MessageSink) => response.end(sink),
    hops: response.hops,
  });
}

/** By the tier (ai.google.dev, "Gemini API pricing": flex and priority, 2026-11). Vertex AI does not report one. */
export const GEMINI_TIER_FACTORS = { flex: 0.5, priority: 1.8 } as const;

/** The service tier that answered (the types of @google/genai 3.3, `UsageMetadata`, 2026-11). */
export function tierOfChunk(chunk: unknown): unknown {
  const usage = isRecord(chunk) ? chunk["usageMetadata"] : undefined;
  return isRecord(usage) ? usage["serviceTier"] : undefined;
}

class GoogleResponse {
  readonly #provider: string;
  readonly #calls = new FunctionCallReader();
  readonly #prose = new ProseReader();
  readonly #tools = new ServerToolReader();
  readonly #grounding = new GroundingReader();
  readonly #notes = new NoteReader();
  /** Whether the last part was a server-side tool, after which the model continues. */
  #inServerTool = false;
  /** Whether a stop arrived during a server-side tool. It applies only if nothing follows. */
  #heldStop = false;
  /** How many finish reasons have arrived. */
  #finishes = 0;
  readonly hops = new LongDecode();

  constructor(provider: string) {
    this.#provider = provider;
  }

  map(event: unknown, sink: MessageSink): boolean {
    const chunk = withCamelCase(Object(event)) as WireChunk; // every field is optional, and each value is checked where it is used
    sink.response({ responseId: chunk.responseId, responseModel: chunk.modelVersion });
    this.#mapUsage(chunk.usageMetadata, sink);
    if (chunk.error || chunk.type === "error") throw createStreamError(chunk, this.#provider);
    const candidate = firstIndexed(chunk.candidates);
    if (candidate) this.#mapCandidate(candidate, sink);
    if (!stopBlockedPrompt(chunk, sink)) return false;
    this.#notes.add(chunk.promptFeedback);
    this.#notes.write(sink);
    return true;
  }

  /** The body has ended. */
  end(sink: MessageSink): void {
    if (this.#finishes > 0) this.#complete(sink);
    if (this.#heldStop) sink.stop("stop");
  }

  #mapCandidate(candidate: WireCandidate, sink: MessageSink): void {
    const { repeats } = this.hops;
    for (const part of partsOf(candidate.content)) {
      const fresh = isRecord(part) ? this.hops.take(part) : undefined;
      if (fresh) this.#mapPart(fresh, sink);
    }
    this.hops.see(candidate.continuationToken);
    if (!repeats) {
      this.#grounding.add(candidate);
      this.#notes.add(candidate);
    }
    if (candidate.finishReason) this.#finish(candidate.finishReason, candidate.finishMessage, sink);
  }

  #mapPart(part: WirePart, sink: MessageSink): void {
    const signature = typeof part.thoughtSignature === "string" ? part.thoughtSignature : "";
    if (isRecord(part.functionCall)) {
      this.#beginOther(part, sink);
      this.#calls.add(part.functionCall, signature || undefined, sink);
    } else if (typeof part.text === "string" || !hasContent(part)) {
      if (part.text !== "") this.#inServerTool = false;
      this.#prose.add(typeof part.text === "string" ? part.text : "", part.thought === true, signature, sink);
    } else {
      this.#beginOther(part, sink);
      if (!mapMedia(part, sink)) this.#tools.add({ ...part }, sink);
    }
  }

  #beginOther(part: WirePart, sink: MessageSink): void {
    this.#inServerTool = isServerToolPart(part);
    this.#prose.interrupt(sink);
  }

  /** Writes facts about the whole response. Runs again if the response goes on after a finish reason. */
  #complete(sink: MessageSink): void {
    this.#prose.sign(sink);
    this.#grounding.write(this.#prose.textKeys, this.#tools, sink);
    this.#tools.settle(sink);
    this.#notes.write(sink);
  }

  #finish(finishReason: unknown, finishMessage: unknown, sink: MessageSink): void {
    const word = toWord(finishReason);
    if (word.toUpperCase() === "CONTINUATION" && this.hops.stop()) return;
    const { reason, kind } = ownValue(ENDINGS, word.toUpperCase()) ?? FAULTY;
    if (reason !== "error") this.hops.expectAll();
    this.#finishes++;
    this.#heldStop = reason === "stop" && this.#inServerTool;
    if (this.#heldStop) return;
    if (this.#finishes <= EARLY_COMPLETIONS) this.#complete(sink);
    const detail = typeof finishMessage === "string" && finishMessage !== "" ? `: ${finishMessage}` : "";
    sink.stop(reason, reason === "error" ? `Provider stopped with: ${word}${detail}` : undefined, kind);
  }

  /** Chunks repeat or omit the counts, or have 0 for what they do not know; the prompt's count includes cached tokens. */
  #mapUsage(usage: WireUsage | null | undefined, sink: MessageSink): void {
    if (!usage) return;
    const { counts } = this.hops;
    const read = usage.promptTokenCount === 0 && counts.prompt > 0 ? countAboveZero : tokenCount;
    this.hops.counts = {
      prompt: read(usage.promptTokenCount) ?? counts.prompt,
      cached: read(usage.cachedContentTokenCount) ?? counts.cached,
      toolUse: read(usage.toolUsePromptTokenCount) ?? counts.toolUse,
      response: read(usage.candidatesTokenCount) ?? counts.response,
      thoughts: read(usage.thoughtsTokenCount) ?? counts.thoughts,
    };
    sink.usage(this.hops.sum());
  }
}

function countAboveZero(value: unknown): number | undefined {
  return tokenCount(value) || undefined;
}

/** The parts of a content. Some servers send one part without its list, or texts in place of parts. */
function partsOf(content: unknown): readonly unknown[] {
  const parts = isRecord(content) ? content["parts"] : content;
  const list = Array.isArray(parts) ? parts : [parts];
  return list.some(isText) ? list.map((part: unknown) => (isText(part) ? { text: part } : part)) : list;
}

function isServerToolPart(part: WirePart): boolean {
  return Boolean(part.executableCode || part.codeExecutionResult || part.toolCall || part.toolResponse);
}

/** Whether a part holds more than a signature. */
function hasContent(part: WirePart): boolean {
  return Object.entries(part).some(([name, value]) => isPartContent(name) && value !== null);
}

function stopBlockedPrompt({ promptFeedback }: WireChunk, sink: MessageSink): boolean {
  const blockReason = promptFeedback?.blockReason;
  if (!blockReason) return false;
  const detail = promptFeedback?.blockReasonMessage;
  const explanation = typeof detail === "string" && detail !== "" ? ` (${detail})` : "";
  sink.stop("error", `The prompt was blocked: ${toWord(blockReason)}${explanation}`, "content_filter");
  return true;
}

/** Some servers send enums as numbers. */
function toWord(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
