/** Maps events of the Anthropic Messages API to operations on the sink. */
import type { MessageSink } from "../../assemble/message-sink.js";
import type { WireMapping } from "../../runtime/api-adapter.js";
import { createStreamError } from "../../transport/http-error.js";
import { formatThrownValue } from "../../utils/diagnostics.js";
import type { Ending } from "../ending.js";
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
  /** The model that takes over. */
  to?: { model?: string | null } | null;
}

/** Why a classifier stopped the response. */
interface WireStopDetails {
  explanation?: unknown;
}

interface WireDelta {
  type?: string;
  text?: string;
  thinking?: string;
  signature?: string;
  partial_json?: string;
  stop_reason?: string | null;
  stop_details?: WireStopDetails | null;
}

interface WireEvent {
  type?: string;
  index?: number;
  message?: {
    id?: string;
    model?: string;
    usage?: WireUsage | null;
    content?: (WireContentBlock | null)[] | null;
    stop_reason?: string | null;
    stop_details?: WireStopDetails | null;
  } | null;
  content_block?: WireContentBlock | null;
  delta?: WireDelta | null;
  usage?: WireUsage | null;
}

/** Values of `stop_reason`: Anthropic API reference, "Handling stop reasons", 2026-11. */
const ENDINGS: Readonly<Record<string, Ending>> = {
  end_turn: { reason: "stop" },
  pause_turn: { reason: "stop" },
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
};

/**
 * @param provider named in errors
 * @param prices the prices of a web search and of tokens that the top-level counts omit
 */
export function createAnthropicMapping(provider: string, prices: Prices = { webSearchPrice: 0 }): WireMapping {
  /** Signatures may come in pieces. */
  const signatures = new Map<number, string>();
  let stopReason: string | null | undefined;
  let stopDetails: WireStopDetails | null | undefined;
  let hasNotedIterations = false;
  return (raw, sink) => {
    const event = raw as WireEvent; // every field is optional, and each value is checked where it is used
    const index = event.index ?? 0;
    switch (event.type) {
      // Deltas come first: nearly every event is one, and the cases are compared in order.
      case "content_block_delta":
        mapDelta(index, event.delta ?? {}, signatures, sink);
        return false;
      case "message_start":
        stopReason = event.message?.stop_reason;
        stopDetails = event.message?.stop_details;
        mapMessageStart(event, prices, sink);
        return false;
      case "content_block_start":
        signatures.set(index, event.content_block?.signature ?? "");
        mapBlockStart(index, event.content_block ?? {}, sink);
        return false;
      case "content_block_stop":
        sink.close(index);
        return false;
      case "message_delta":
        stopReason = event.delta?.stop_reason ?? stopReason;
        stopDetails = event.delta?.stop_details ?? stopDetails;
        mapUsage(event.usage, prices, sink);
        if (!hasNotedIterations) hasNotedIterations = noteIterations(event.usage, prices, sink);
        return false;
      case "message_stop":
        stopWith(stopReason, stopDetails?.explanation, sink);
        return true;
      case "error":
        throw createStreamError(event, provider);
      default:
        return false;
    }
  };
}

function mapMessageStart({ message }: WireEvent, prices: Prices, sink: MessageSink): void {
  sink.response({ responseId: message?.id, responseModel: message?.model });
  mapUsage(message?.usage, prices, sink);
  if (!Array.isArray(message?.content)) return;
  for (const [index, block] of message.content.entries()) {
    mapBlockStart(index, block, sink);
    sink.close(index);
  }
}

/** Blocks of other types are the server's own; their deltas are dropped because no block is open for them. */
function mapBlockStart(index: number, block: WireContentBlock | null, sink: MessageSink): void {
  switch (block?.type) {
    case "text":
      sink.open(index, { type: "text" });
      sink.append(index, block.text ?? "");
      break;
    case "thinking":
      sink.open(index, { type: "thinking", thinkingSignature: block.signature });
      sink.append(index, block.thinking ?? "");
      break;
    case "redacted_thinking":
      sink.open(index, { type: "thinking", thinkingSignature: block.data, redacted: true });
      break;
    case "tool_use":
      sink.open(index, { type: "toolCall", id: block.id, name: block.name, arguments: block.input });
      break;
    case "fallback":
      sink.response({ responseModel: block.to?.model }, true);
      sink.close(index);
      break;
    default:
      sink.close(index);
  }
}

function mapDelta(index: number, delta: WireDelta, signatures: Map<number, string>, sink: MessageSink): void {
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
      sink.patch(index, { thinkingSignature: signatures.get(index) });
      break;
    default:
  }
}

/** @param explanation the classifier's own words for a refusal */
function stopWith(stopReason: unknown, explanation: unknown, sink: MessageSink): void {
  if (!stopReason) {
    sink.stop("error", "The response ended without a stop_reason", "protocol");
    return;
  }
  const word = formatThrownValue(stopReason);
  const ending = Object.hasOwn(ENDINGS, word) ? ENDINGS[word] : undefined;
  if (!ending) {
    sink.stop("error", `Unhandled stop reason: ${word}`, "protocol");
    return;
  }
  const words = ending.message && typeof explanation === "string" && explanation !== "" ? `: ${explanation}` : "";
  sink.stop(ending.reason, ending.message && `${ending.message}${words}`, ending.kind);
}
