/** Maps events of the Anthropic Messages API to operations on the sink. */
import type { WireMapping } from "../../driver/index.js";
import { type MessageSink, wholeArguments } from "../../message/index.js";
import type { WireItem } from "../../request/index.js";
import { createStreamError } from "../../transport/index.js";
import { formatThrownValue } from "../../utils/diagnostics.js";
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import { indexIn, isText } from "../../utils/read-text.js";
import { DONE } from "../../wire/index.js";
import type { Ending } from "../chat-ending.js";
import { toCitation } from "./citations.js";
import { OwnBlocks } from "./own-blocks.js";
import { withoutOpaque } from "./read-output.js";
import { type MessageFields, ResponseNotes } from "./response-notes.js";
import { mapUsage, noteIterations, type Prices, type WireUsage } from "./usage.js";

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
  partial_json?: unknown;
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
  /** Some servers send a text. */
  index?: number | string | null;
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
    const index = indexIn(event.index) ?? 0;
    // Nearly every event is one.
    if (event.type === "content_block_delta") {
      takeDelta(index, blocks.opened(index, event.delta ?? {}, sink), blocks, sink);
      return false;
    }
    switch (event.type) {
      case "message_start":
        mapMessageStart(event, prices, blocks, sink);
        notes.read(event.message ?? {}, sink);
        return false;
      case "content_block_start":
        blocks.hasStarts = true;
        takeDelta = blocks.start(index, event.content_block, sink) ? mapOwnDelta : mapDelta;
        return false;
      case "content_block_stop":
        blocks.stop(index, sink);
        return false;
      case "message_delta":
        mapMessageDelta(event, prices, notes, sink);
        return false;
      case "message_stop":
        notes.read(event, sink);
        stopWith(notes, sink);
        return true;
      case "error":
        throw createStreamError(event, provider);
      default:
        if (event.error) throw createStreamError(event, provider);
        return raw === DONE && stopAtMarker(notes, sink);
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

const DELTA_FIELDS = { text_delta: "text", thinking_delta: "thinking", input_json_delta: "partial_json" } as const;
// Object.keys has no narrower type; the record names exactly these keys.
const DELTA_TYPES = Object.keys(DELTA_FIELDS) as (keyof typeof DELTA_FIELDS)[];
/** The block that a delta without one belongs to. A call cannot do without its name. */
const BLOCK_TYPES: Readonly<Record<string, string>> = { text_delta: "text", thinking_delta: "thinking" };

class BlockMapping {
  own: OwnBlocks | undefined;
  /** Signatures may come in pieces. */
  readonly signatures = new Map<number, string>();
  /** The open thinking block that has no signature yet. */
  unsigned: number | undefined;
  /** Whether the server announces blocks. */
  hasStarts = false;
  /** The block that began last, until its end. */
  #last: number | undefined;
  readonly #ended = new Set<number>();

  /** @returns whether the block is one that only this api has */
  start(index: number, block: WireContentBlock | null | undefined, sink: MessageSink): boolean {
    this.#last = index;
    this.#ended.delete(index);
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

  /** Servers that convert another api may leave out the starts of all blocks, end them early, and leave out the types of deltas. */
  opened(index: number, delta: WireDelta, sink: MessageSink): WireDelta {
    if (index === this.#last && delta.type) return delta;
    const type = delta.type || deltaTypeOf(delta);
    if (this.#ended.has(index) || !(this.hasStarts || this.signatures.has(index))) {
      const block = ownValue(BLOCK_TYPES, type);
      if (block && (delta.text || delta.thinking)) this.start(index, { type: block }, sink);
    }
    return delta.type === type || type === undefined ? delta : { ...delta, type };
  }

  /** A signature comes before the end of its block. Thinking that ends without one comes from a server that signs none. */
  stop(index: number, sink: MessageSink): void {
    if (this.unsigned === index) {
      this.unsigned = undefined;
      if (this.signatures.get(index) === "") sink.patch(index, { thinkingSignature: "" });
    }
    if (this.own?.stop(index, sink)) return;
    sink.close(index);
    this.#last = undefined;
    this.#ended.add(index);
  }
}

function deltaTypeOf(delta: WireDelta): string | undefined {
  return DELTA_TYPES.find((name) => delta[DELTA_FIELDS[name]] !== undefined);
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
      sink.append(index, delta.thinking ?? delta.text ?? "");
      break;
    case "input_json_delta":
      sink.append(index, wholeArguments(delta.partial_json));
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

/** Gateways that convert Chat Completions may end with its marker. */
function stopAtMarker(notes: ResponseNotes, sink: MessageSink): boolean {
  if (notes.stopReason) stopWith(notes, sink);
  return Boolean(notes.stopReason);
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
