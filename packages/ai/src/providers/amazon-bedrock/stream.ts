/** Maps events of ConverseStream to operations on the sink. */
import type { MessageSink } from "../../assemble/message-sink.js";
import { tokenCount } from "../../assemble/token-count.js";
import type { WireMapping } from "../../runtime/api-adapter.js";
import { isText } from "../../utils/is-text.js";
import type { AwsEvent } from "../../wire/aws-event-stream.js";
import type { Ending } from "../ending.js";
import { createExceptionError } from "./errors.js";

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

interface WirePayload {
  contentBlockIndex?: number;
  start?: { toolUse?: WireToolUse | null } | null;
  delta?: { text?: string; toolUse?: WireToolUse | null; reasoningContent?: WireReasoning | null } | null;
  stopReason?: string;
  /** Names the model that a prompt router chose. */
  trace?: { promptRouter?: { invokedModelId?: string | null } | null } | null;
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
    message: "A guardrail stepped in (guardrail_intervened)",
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
  let stopped = false;
  return (raw, sink) => {
    const event = raw as AwsEvent; // the decoder of this framing makes these
    if (event.kind !== "event") throw createExceptionError(event, provider);
    const payload = event.payload as WirePayload; // every field is optional, and each value is checked where it is used
    const index = payload.contentBlockIndex ?? 0;
    switch (event.name) {
      case "contentBlockStart":
        signatures.delete(index);
        mapBlockStart(index, payload.start?.toolUse, sink);
        return false;
      case "contentBlockDelta":
        mapDelta(index, payload.delta ?? {}, signatures, sink);
        return false;
      case "contentBlockStop":
        sink.close(index);
        return false;
      case "messageStop":
        stopped = true;
        stopWith(payload.stopReason, sink);
        return false;
      case "metadata":
        // The last event.
        sink.response({ responseModel: payload.trace?.promptRouter?.invokedModelId });
        mapUsage(payload.usage, sink);
        return stopped;
      default:
        return false;
    }
  };
}

/** Only tool calls have a start event. No block is opened for tools that Amazon runs itself, which drops their deltas. */
function mapBlockStart(index: number, toolUse: WireToolUse | null | undefined, sink: MessageSink): void {
  sink.close(index);
  if (!toolUse || toolUse.type === "server_tool_use") return;
  sink.open(index, { type: "toolCall", id: toolUse.toolUseId, name: toolUse.name });
}

/** Citations, results and media of the server are not text. */
function mapDelta(
  index: number,
  delta: NonNullable<WirePayload["delta"]>,
  signatures: Map<number, string>,
  sink: MessageSink,
): void {
  if (isText(delta.text)) {
    sink.ensure(index, { type: "text" });
    sink.append(index, delta.text);
  }
  if (delta.reasoningContent) mapReasoning(index, delta.reasoningContent, signatures, sink);
  const input = delta.toolUse?.input;
  if (typeof input === "string") sink.append(index, input);
  else if (typeof input === "object" && input !== null) sink.append(index, JSON.stringify(input));
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
  const ending = Object.hasOwn(ENDINGS, word) ? ENDINGS[word] : undefined;
  if (ending) sink.stop(ending.reason, ending.message, ending.kind);
  else if (word) sink.stop("error", `Unhandled stop reason: ${word}`, "protocol");
  else sink.stop("error", "The response ended without a stopReason", "protocol");
}

/** The bytes of two pieces, one after the other. Each piece may end with padding of its own. */
function joinBase64(first: string, second: string): string {
  if (first === "") return second;
  return Buffer.concat([Buffer.from(first, "base64"), Buffer.from(second, "base64")]).toString("base64");
}
