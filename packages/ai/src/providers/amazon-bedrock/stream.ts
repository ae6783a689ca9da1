/** Maps events of ConverseStream to operations on the sink. */
import type { WireMapping } from "../../driver/index.js";
import { type MessageSink, tokenCount } from "../../message/index.js";
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import { isText } from "../../utils/read-text.js";
import type { AwsEvent } from "../../wire/index.js";
import type { Ending } from "../chat-ending.js";
import { createExceptionError } from "./bedrock-errors.js";
import { joinBase64, toCitation } from "./citations.js";
import { OwnBlocks } from "./own-blocks.js";

interface WireToolUse {
  toolUseId?: string;
  name?: string;
  /** `server_tool_use` for tools that Amazon runs itself. */
  type?: string;
  input?: unknown;
}

interface WireReasoning {
  text?: string;
  signature?: string;
  redactedContent?: string;
}

/** A union: one key, which names the kind. */
interface WireDelta {
  text?: string;
  toolUse?: WireToolUse | null;
  reasoningContent?: WireReasoning | null;
  citation?: unknown;
}

interface WirePayload {
  contentBlockIndex?: number;
  start?: { toolUse?: WireToolUse | null } | null;
  delta?: WireDelta | null;
  stopReason?: string;
  /** The fields that the request named in `additionalModelResponseFieldPaths`. */
  additionalModelResponseFields?: unknown;
  /** Names the model that a prompt router chose. */
  trace?: { promptRouter?: { invokedModelId?: string | null } | null; guardrail?: unknown } | null;
  serviceTier?: { type?: unknown } | null;
  usage?: {
    inputTokens?: unknown;
    outputTokens?: unknown;
    cacheReadInputTokens?: unknown;
    cacheWriteInputTokens?: unknown;
    cacheDetails?: ({ ttl?: string; inputTokens?: unknown } | null)[] | null;
  } | null;
}

/** Values of `stopReason`: Bedrock API reference, "MessageStopEvent", 2026-11. */
const ENDINGS: Readonly<Record<string, Ending>> = {
  end_turn: { reason: "stop" },
  stop_sequence: { reason: "stop" },
  max_tokens: { reason: "length" },
  model_context_window_exceeded: { reason: "length" },
  tool_use: { reason: "toolUse" },
  guardrail_intervened: {
    reason: "error",
    message: "A guardrail intervened (guardrail_intervened)",
    kind: "content_filter",
  },
  content_filtered: {
    reason: "error",
    message: "The response was filtered (content_filtered)",
    kind: "content_filter",
  },
  // Anthropic's value, which some models pass through.
  refusal: { reason: "error", message: "The model refused to answer (refusal)", kind: "content_filter" },
  malformed_model_output: {
    reason: "error",
    message: "The model's response could not be read (malformed_model_output)",
    kind: "server",
  },
  malformed_tool_use: {
    reason: "error",
    message: "The model's tool call could not be read (malformed_tool_use)",
    kind: "server",
  },
};

/** @param provider named in errors */
export function createBedrockMapping(provider: string): WireMapping {
  const signatures = new Map<number, string>();
  const own = new OwnBlocks();
  let stopped = false;
  return (raw, sink) => {
    const event = raw as AwsEvent; // the decoder of this framing makes these
    if (event.kind !== "event") throw createExceptionError(event, provider);
    const payload = event.payload as WirePayload; // every field is optional, and each value is checked where it is used
    const index = payload.contentBlockIndex ?? 0;
    switch (event.name) {
      case "contentBlockStart":
        signatures.delete(index);
        sink.close(index);
        mapBlockStart(index, payload.start ?? {}, own, sink);
        return false;
      case "contentBlockDelta":
        if (mapDelta(index, payload.delta ?? {}, signatures, sink)) return false;
        own.add(index, { ...payload.delta }, sink);
        return false;
      case "contentBlockStop":
        if (!own.stop(index, sink)) sink.close(index);
        return false;
      case "messageStop":
        stopped = true;
        noteFields(payload.additionalModelResponseFields, sink);
        stopWith(payload.stopReason, sink);
        return false;
      case "metadata":
        // The last event.
        sink.response({ responseModel: payload.trace?.promptRouter?.invokedModelId });
        noteMetadata(payload, sink);
        mapUsage(payload.usage, sink);
        return stopped;
      default:
        return false;
    }
  };
}

/** By the tier: a discount of 50 % and a premium of 75 % (aws.amazon.com/bedrock/pricing: gpt-oss, 2025-11). */
export const BEDROCK_TIER_FACTORS = { flex: 0.5, priority: 1.75 } as const;

/** The service tier that answered (Bedrock API reference, "ConverseStreamMetadataEvent", 2026-11). */
export function tierOfEvent(event: unknown): unknown {
  const payload = isRecord(event) ? event["payload"] : undefined;
  const tier = isRecord(payload) ? payload["serviceTier"] : undefined;
  return isRecord(tier) ? tier["type"] : undefined;
}

/** Text and thinking have no start event. */
function mapBlockStart(
  index: number,
  start: NonNullable<WirePayload["start"]>,
  own: OwnBlocks,
  sink: MessageSink,
): void {
  const { toolUse } = start;
  if (!toolUse || toolUse.type === "server_tool_use") own.start(index, { ...start }, sink);
  else sink.open(index, { type: "toolCall", id: toolUse.toolUseId, name: toolUse.name });
}

/** @returns whether the delta is of a kind that is mapped here */
function mapDelta(index: number, delta: WireDelta, signatures: Map<number, string>, sink: MessageSink): boolean {
  if (isText(delta.text)) {
    sink.ensure(index, { type: "text" });
    sink.append(index, delta.text);
    return true;
  }
  if (delta.reasoningContent) {
    mapReasoning(index, delta.reasoningContent, signatures, sink);
    return true;
  }
  if (isRecord(delta.citation)) {
    // A citation comes before the text that it supports.
    sink.ensure(index, { type: "text" });
    sink.cite(index, toCitation(delta.citation));
    return true;
  }
  return delta.text !== undefined;
}

function noteFields(fields: unknown, sink: MessageSink): void {
  if (!isRecord(fields) || Object.keys(fields).length === 0) return;
  // Anthropic's field, for a request that asks for `/stop_sequence`.
  const { stop_sequence: stopSequence } = fields;
  if (isText(stopSequence)) sink.response({ stopSequence });
  sink.note("additional_response_fields", fields);
}

function noteMetadata({ trace, serviceTier }: WirePayload, sink: MessageSink): void {
  if (isRecord(trace?.guardrail)) sink.note("guardrail_trace", trace.guardrail);
  const tier = serviceTier?.type;
  if (isText(tier) && tier !== "default") sink.note("service_tier", { tier });
}

/** Signatures and hidden thinking can arrive in pieces and without visible text. */
function mapReasoning(
  index: number,
  { text, signature, redactedContent }: WireReasoning,
  signatures: Map<number, string>,
  sink: MessageSink,
): void {
  if (isText(text)) {
    sink.ensure(index, { type: "thinking" });
    sink.append(index, text);
  }
  const before = signatures.get(index) ?? "";
  if (isText(signature)) {
    signatures.set(index, before + signature);
    sink.ensure(index, { type: "thinking" });
    sink.patch(index, { thinkingSignature: signatures.get(index) });
  } else if (isText(redactedContent)) {
    signatures.set(index, joinBase64(before, redactedContent));
    sink.ensure(index, { type: "thinking", redacted: true });
    sink.patch(index, { thinkingSignature: signatures.get(index), redacted: true });
  }
}

function mapUsage(usage: WirePayload["usage"], sink: MessageSink): void {
  if (!usage) return;
  const details = Array.isArray(usage.cacheDetails) ? usage.cacheDetails : [];
  sink.usage({
    input: tokenCount(usage.inputTokens),
    output: tokenCount(usage.outputTokens),
    cacheRead: tokenCount(usage.cacheReadInputTokens),
    cacheWrite: tokenCount(usage.cacheWriteInputTokens),
    cacheWrite1h: tokenCount(details.find((detail) => detail?.ttl === "1h")?.inputTokens),
  });
}

function stopWith(stopReason: unknown, sink: MessageSink): void {
  const word = isText(stopReason) ? stopReason : "";
  const ending = ownValue(ENDINGS, word);
  if (ending) sink.stop(ending.reason, ending.message, ending.kind);
  else if (word) sink.stop("error", `Unhandled stop reason: ${word}`, "protocol");
  else sink.stop("error", "The response ended without a stopReason", "protocol");
}
