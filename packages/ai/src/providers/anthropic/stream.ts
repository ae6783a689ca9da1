/** Maps events of the Anthropic Messages API to operations on the sink. */
import type { AnthropicFlags } from "../../catalogue/compat/index.js";
import type { WireMapping } from "../../driver/index.js";
import { type MessageSink, reportedCost, tokenCount, type UsageCounts, type WirePrice } from "../../message/index.js";
import type { WireItem } from "../../request/index.js";
import { createStreamError } from "../../transport/index.js";
import type { Model } from "../../types/model.js";
import { formatThrownValue } from "../../utils/diagnostics.js";
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import { isText } from "../../utils/read-text.js";
import type { Ending } from "../chat-ending.js";
import { type FindPrice, fallbackCounts } from "./fallbacks.js";
import { OwnBlocks, toCitation, withoutOpaque } from "./own-blocks.js";
import { type ModelRun, noteRuns } from "./own-usage.js";

interface WireContentBlock {
  type?: string;
  text?: string;
  thinking?: string;
  signature?: string;
  data?: string;
  id?: string;
  name?: string;
  input?: unknown;
  citations?: unknown;
  caller?: unknown;
  /** The toolset of the tool, if it belongs to one. */
  toolset_name?: string | null;
  /** The model that takes over. */
  to?: { model?: string | null } | null;
}

interface WireDelta extends MessageFields {
  type?: string;
  text?: string;
  thinking?: string;
  signature?: string;
  partial_json?: string;
  citation?: unknown;
}

interface WireMessage extends MessageFields {
  id?: string;
  model?: string;
  usage?: WireUsage | null;
  content?: (WireContentBlock | null)[] | null;
}

interface WireEvent extends MessageFields {
  type?: string;
  index?: number;
  message?: WireMessage | null;
  content_block?: WireContentBlock | null;
  delta?: WireDelta | null;
  usage?: WireUsage | null;
  /** Some servers send their errors without the type of an event. */
  error?: unknown;
}

/** Values of `stop_reason`: Anthropic API reference, "Handling stop reasons", 2026-11. */
const ENDINGS: Readonly<Record<string, Ending>> = {
  end_turn: { reason: "stop" },
  pause_turn: { reason: "pause" },
  compaction: { reason: "pause" },
  stop_sequence: { reason: "stop" },
  max_tokens: { reason: "length" },
  tool_use: { reason: "toolUse" },
  refusal: { reason: "error", message: "The model refused to answer (refusal)", kind: "content_filter" },
  sensitive: { reason: "error", message: "The response was withheld (sensitive)", kind: "content_filter" },
  model_context_window_exceeded: {
    reason: "error",
    message: "The response does not fit into the context window (model_context_window_exceeded)",
    kind: "context_overflow",
  },
  // Chat Completions' words, which gateways pass through that convert the api (2026-11).
  stop: { reason: "stop" },
  length: { reason: "length" },
  tool_calls: { reason: "toolUse" },
  function_call: { reason: "toolUse" },
  content_filter: { reason: "error", message: "The response was withheld (content_filter)", kind: "content_filter" },
};

/**
 * @param provider named in errors
 * @param prices the prices of a web search and of tokens that the top-level counts omit
 */
export function createAnthropicMapping(provider: string, prices: Prices = { webSearchPrice: 0 }): WireMapping {
  const blocks = new BlockMapping();
  const notes = new ResponseNotes();
  let takeDelta = mapDelta;
  return (raw, sink) => {
    const event = raw as WireEvent; // every field is optional, and each value is checked where it is used
    const index = event.index ?? 0;
    // Nearly every event is one.
    if (event.type === "content_block_delta") {
      takeDelta(index, event.delta ?? {}, blocks, sink);
      return false;
    }
    switch (event.type) {
      case "message_start":
        mapMessageStart(event, prices, blocks, sink);
        notes.read(event.message ?? {}, sink);
        return false;
      case "content_block_start":
        takeDelta = blocks.start(index, event.content_block, sink) ? mapOwnDelta : mapDelta;
        return false;
      case "content_block_stop":
        blocks.stop(index, sink);
        return false;
      case "message_delta":
        mapMessageDelta(event, prices, notes, sink);
        return false;
      case "message_stop":
        stopWith(notes, sink);
        return true;
      case "error":
        throw createStreamError(event, provider);
      default:
        if (event.error) throw createStreamError(event, provider);
        return false;
    }
  };
}

function mapMessageStart({ message }: WireEvent, prices: Prices, blocks: BlockMapping, sink: MessageSink): void {
  sink.response({ responseId: message?.id, responseModel: message?.model });
  mapUsage(message?.usage, prices, sink);
  for (const [index, block] of contentOf(message).entries()) {
    blocks.start(index, block, sink);
    blocks.stop(index, sink);
  }
}

function mapMessageDelta(event: WireEvent, prices: Prices, notes: ResponseNotes, sink: MessageSink): void {
  notes.read(event, sink);
  notes.read(event.delta ?? {}, sink);
  mapUsage(event.usage, prices, sink);
  notes.hasIterations ||= noteIterations(event.usage, prices, sink);
}

function contentOf(message: WireMessage | null | undefined): readonly (WireContentBlock | null)[] {
  return Array.isArray(message?.content) ? message.content : [];
}

class BlockMapping {
  own: OwnBlocks | undefined;
  /** Signatures may come in pieces. */
  readonly signatures = new Map<number, string>();
  /** The open thinking block that has no signature yet. */
  unsigned: number | undefined;

  /** @returns whether the block is one that only this api has */
  start(index: number, block: WireContentBlock | null | undefined, sink: MessageSink): boolean {
    this.signatures.set(index, block?.signature ?? "");
    switch (block?.type) {
      case "text":
        sink.open(index, { type: "text" });
        sink.append(index, block.text ?? "");
        if (Array.isArray(block.citations)) for (const citation of block.citations) cite(index, citation, sink);
        return false;
      case "thinking":
        sink.open(index, { type: "thinking", thinkingSignature: block.signature || undefined });
        this.unsigned = block.signature ? undefined : index;
        sink.append(index, block.thinking ?? "");
        return false;
      case "redacted_thinking":
        sink.open(index, { type: "thinking", thinkingSignature: block.data, redacted: true });
        return false;
      case "tool_use":
        openCall(index, block, sink);
        return false;
      // A block without a type cannot be read, and the server would not take it back.
      case undefined:
      case "":
        sink.close(index);
        return false;
      case "fallback":
        sink.response({ responseModel: block.to?.model }, true);
        sink.note("fallback", withoutOpaque({ ...block }));
    }
    this.own ??= new OwnBlocks();
    this.own.start(index, { ...block }, sink);
    return true;
  }

  /** A signature comes before the end of its block. Thinking that ends without one comes from a server that signs none. */
  stop(index: number, sink: MessageSink): void {
    if (this.unsigned === index) {
      this.unsigned = undefined;
      if (this.signatures.get(index) === "") sink.patch(index, { thinkingSignature: "" });
    }
    if (!this.own?.stop(index, sink)) sink.close(index);
  }
}

function openCall(index: number, block: WireContentBlock, sink: MessageSink): void {
  const { id, name, input, caller, toolset_name: namespace } = block;
  sink.open(index, {
    type: "toolCall",
    id,
    name,
    arguments: input,
    namespace: namespace ?? undefined,
    caller: isRecord(caller) ? caller : undefined,
  });
}

function cite(index: number, citation: unknown, sink: MessageSink): void {
  if (isRecord(citation) && isText(citation["type"])) sink.cite(index, toCitation(citation));
}

function mapOwnDelta(index: number, delta: WireDelta, blocks: BlockMapping, sink: MessageSink): void {
  const fields: WireItem = { ...delta };
  if (!blocks.own?.add(index, fields, sink)) mapDelta(index, delta, blocks, sink);
}

function mapDelta(index: number, delta: WireDelta, { signatures }: BlockMapping, sink: MessageSink): void {
  switch (delta.type) {
    case "text_delta":
      sink.append(index, delta.text ?? "");
      break;
    case "thinking_delta":
      sink.append(index, delta.thinking ?? "");
      break;
    case "input_json_delta":
      sink.append(index, delta.partial_json ?? "");
      break;
    case "signature_delta":
      if (typeof delta.signature !== "string") break;
      signatures.set(index, (signatures.get(index) ?? "") + delta.signature);
      sink.patch(index, { thinkingSignature: signatures.get(index) || undefined });
      break;
    case "citations_delta":
      cite(index, delta.citation, sink);
      break;
    default:
  }
}

function stopWith({ stopReason, explanation }: ResponseNotes, sink: MessageSink): void {
  if (!stopReason) {
    sink.stop("error", "The response ended without a stop_reason", "protocol");
    return;
  }
  const word = formatThrownValue(stopReason);
  const ending = ownValue(ENDINGS, word);
  if (!ending) {
    sink.stop("error", `Unhandled stop reason: ${word}`, "protocol");
    return;
  }
  const words = ending.message && explanation !== "" ? `: ${explanation}` : "";
  sink.stop(ending.reason, ending.message && `${ending.message}${words}`, ending.kind);
}

// Token counts.

interface WireCounts {
  input_tokens?: unknown;
  output_tokens?: unknown;
  cache_read_input_tokens?: unknown;
  cache_creation_input_tokens?: unknown;
  cache_creation?: { ephemeral_1h_input_tokens?: unknown } | null;
}

/** One of the model runs that produced a response. */
interface WireIteration extends WireCounts {
  type?: unknown;
  model?: unknown;
}

/** OpenRouter adds `cost` (OpenRouter API reference, "Create a message", `MessagesResult.usage`, 2026-09). */
export interface WireUsage extends WireCounts, WirePrice {
  output_tokens_details?: { thinking_tokens?: unknown } | null;
  server_tool_use?: { web_search_requests?: unknown } | null;
  iterations?: (WireIteration | null)[] | null;
}

export type Prices = Pick<AnthropicFlags, "webSearchPrice"> & {
  model?: Pick<Model, "id" | "cost">;
  /** The prices of other models, for an answer of one of them. */
  find?: FindPrice;
};

export function mapUsage(usage: WireUsage | null | undefined, prices: Prices, sink: MessageSink): void {
  if (!usage) return;
  const { webSearchPrice, model, find } = prices;
  const searches = tokenCount(usage.server_tool_use?.web_search_requests);
  const { pricedAs, extraCost: declined } = model && find ? fallbackCounts(runsOf(usage), { model, find }) : {};
  const searched = searches === undefined ? undefined : searches * webSearchPrice;
  sink.usage({
    ...toCounts(usage),
    reasoning: tokenCount(usage.output_tokens_details?.thinking_tokens),
    extraCost: declined === undefined ? searched : declined + (searched ?? 0),
    reportedCost: reportedCost(usage),
    pricedAs,
  });
}

/**
 * Adds a diagnostic with the iterations if the top-level counts omit some. These sum iterations of the type `message`
 * only; compaction and an advisor are charged in addition (Anthropic API reference, "Compaction" and "Advisor tool",
 * 2026-10).
 *
 * @returns whether a diagnostic was added
 */
function noteIterations(usage: WireUsage | null | undefined, { model }: Prices, sink: MessageSink): boolean {
  const runs = runsOf(usage);
  if (runs.length > 0) noteRuns(runs, model, sink);
  return runs.length > 0;
}

function runsOf(usage: WireUsage | null | undefined): ModelRun[] {
  return otherRuns(usage).map((iteration) => ({ iteration, counts: toCounts(iteration) }));
}

/** All iterations, if some are not of the type `message`. */
function otherRuns(usage: WireUsage | null | undefined): readonly WireIteration[] {
  const list = Array.isArray(usage?.iterations) ? usage.iterations : [];
  const iterations = list.filter((one) => typeof one === "object" && one !== null);
  return iterations.every(({ type }) => type === "message" || type === undefined) ? [] : iterations;
}

function toCounts(counts: WireCounts): UsageCounts {
  return {
    input: tokenCount(counts.input_tokens),
    output: tokenCount(counts.output_tokens),
    cacheRead: tokenCount(counts.cache_read_input_tokens),
    cacheWrite: tokenCount(counts.cache_creation_input_tokens),
    cacheWrite1h: tokenCount(counts.cache_creation?.ephemeral_1h_input_tokens),
  };
}

// Facts about a response that come at its start, at its end, or both.

/** Fields of `message_start.message`, of `message_delta` and of its `delta`. */
export interface MessageFields {
  stop_reason?: unknown;
  stop_sequence?: unknown;
  stop_details?: unknown;
  container?: unknown;
  context_management?: unknown;
  input_transformations?: unknown;
  diagnostics?: unknown;
  usage?: object | null;
}

/** The default service tier, which is not worth a diagnostic. */
const DEFAULT_TIER = "standard";

/** Keeps the reason why the response ended, and passes the other facts to the sink. */
class ResponseNotes {
  stopReason: unknown;
  /** The classifier's own words for a refusal; empty if there are none. */
  explanation = "";
  /** Whether a diagnostic names the model runs. */
  hasIterations = false;
  readonly #noted = new Set<string>();

  read(fields: MessageFields, sink: MessageSink): void {
    this.stopReason = fields.stop_reason ?? this.stopReason;
    if (isText(fields.stop_sequence)) sink.response({ stopSequence: fields.stop_sequence });
    this.#readContainer(fields.container, sink);
    const { stop_details: stop, context_management: context, input_transformations: changes, usage } = fields;
    if (isRecord(stop)) {
      if (isText(stop["explanation"])) this.explanation = stop["explanation"];
      this.#note("refusal", stop, sink);
    }
    const edits = isRecord(context) ? context["applied_edits"] : undefined;
    if (Array.isArray(edits) && edits.length > 0) this.#note("context_edits", { edits }, sink);
    if (Array.isArray(changes) && changes.length > 0) this.#note("input_transformations", { changes }, sink);
    this.#readMiss(fields.diagnostics, sink);
    const tier: unknown = isRecord(usage) ? usage["service_tier"] : undefined;
    if (isText(tier) && tier !== DEFAULT_TIER) this.#note("service_tier", { tier }, sink);
  }

  #readContainer(container: unknown, sink: MessageSink): void {
    if (!isRecord(container) || !isText(container["id"])) return;
    const { id, expires_at: expiresAt, skills } = container;
    sink.response({ container: { id, ...(isText(expiresAt) ? { expiresAt } : {}) } }, true);
    if (Array.isArray(skills) && skills.length > 0) this.#note("container_skills", { skills }, sink);
  }

  /** @anthropic-ai/sdk 1.14, `CacheMissReason`, 2026-11. The reasons without tokens say that nothing was compared. */
  #readMiss(diagnostics: unknown, sink: MessageSink): void {
    const miss = isRecord(diagnostics) ? diagnostics["cache_miss_reason"] : undefined;
    const missedTokens = isRecord(miss) ? tokenCount(miss["cache_missed_input_tokens"]) : undefined;
    if (isRecord(miss) && isText(miss["type"]) && missedTokens !== undefined)
      this.#note("cache_miss", { reason: miss["type"], missedTokens }, sink);
  }

  /** The same fact may come at the start and at the end. */
  #note(type: string, details: Record<string, unknown>, sink: MessageSink): void {
    if (this.#noted.has(type)) return;
    this.#noted.add(type);
    sink.note(type, details);
  }
}
