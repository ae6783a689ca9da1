/** The span and the metrics of one request to a model. */
import { normalizeContext } from "../../message/index.js";
import { describeThrown } from "../../transport/index.js";
import type { ContextInput } from "../../types/context-input.js";
import type { AssistantMessage, Message } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions } from "../../types/options.js";
import { attemptsOf } from "../../utils/message-facts.js";
import { collectSecrets } from "../../utils/redact.js";
import { visibleLine } from "../../utils/visible-text.js";
import type { OtelApi, OtelContext } from "./otel-api.js";
import { type Operation, shortName, type Telemetry } from "./telemetry.js";

/** A request in progress. */
export interface Chat {
  /**
   * The options to send the request with. They say that it is recorded, so that a `traceStream` further in, with the same
   * API, does not record it again.
   */
  readonly options: SimpleStreamOptions;
  /** Sends the request with its span as the active one. */
  run<TResult>(work: () => TResult): TResult;
  /** Records that the first part of the response has arrived. Only the first call counts. */
  begin(partial: AssistantMessage): void;
  /** Ends the span with the final message, also if it failed. */
  end(message: AssistantMessage): void;
  /** Ends the span of a request that has no message. */
  fail(error: unknown): void;
}

/** The request that a span describes. */
export interface ChatRequest {
  /** The model. */
  model: Model;
  /** The conversation. */
  context: ContextInput;
  /** The options of the request. */
  options?: SimpleStreamOptions | undefined;
  /** The name of the conversation. Default: the `sessionId` of the options. */
  conversationId?: string | undefined;
}

/**
 * The APIs that record a request, in its options: they reach whatever sends it, also through code that copies them. Shared by
 * all copies of the package. JSON and lists of names leave a symbol out.
 */
const RECORDED: unique symbol = /* @__PURE__ */ Symbol.for("pi-ai.recorded");

interface RecordedOptions extends SimpleStreamOptions {
  [RECORDED]?: readonly OtelApi[];
}

/** Whether a span of this API describes the request already. */
export function isRecorded(options: RecordedOptions | undefined, { api }: Telemetry): boolean {
  return options?.[RECORDED]?.includes(api) ?? false;
}

/** Providers that have another name in the conventions. */
const PROVIDERS: Readonly<Record<string, string>> = {
  "amazon-bedrock": "aws.bedrock",
  azure: "azure.ai.openai",
  google: "gcp.gemini",
  "google-vertex": "gcp.vertex_ai",
  mistral: "mistral_ai",
  moonshotai: "moonshot_ai",
  xai: "x_ai",
};

/** The attributes of a model, for spans and metrics. */
export function describeModel({ provider, id }: Pick<Model, "provider" | "id">): Record<string, string> {
  return { "gen_ai.provider.name": PROVIDERS[provider] ?? provider, "gen_ai.request.model": id };
}

const PORTS: Readonly<Record<string, number>> = { "https:": 443, "http:": 80, "wss:": 443, "ws:": 80 };

function describeServer({ baseUrl }: Pick<Model, "baseUrl">): Record<string, string | number> {
  const url = URL.parse(baseUrl);
  if (!url?.hostname) return {};
  const port = url.port === "" ? PORTS[url.protocol] : Number(url.port);
  return { "server.address": url.hostname, ...(port !== undefined && { "server.port": port }) };
}

/** A response that failed before it began names no model. */
function describeResponder(message: AssistantMessage): Record<string, string> {
  const { responseModel, model, content } = message;
  const hasResponded = content.length > 0 || !failureOf(message);
  const name = responseModel ?? (hasResponded ? model : undefined);
  return name === undefined ? {} : { "gen_ai.response.model": shortName(name) };
}

/** Starts the span of a request to a model. */
export function startChat(
  telemetry: Telemetry,
  { model, context, options = {}, conversationId = options.sessionId }: ChatRequest,
  parent?: OtelContext,
): Chat {
  const attributes = { ...describeModel(model), ...describeServer(model) };
  const operation = telemetry.start({
    operation: "chat",
    subject: model.id,
    metric: "gen_ai.client.operation.duration",
    attributes,
    details: {
      "gen_ai.request.stream": true,
      "gen_ai.request.max_tokens": options.maxTokens,
      "gen_ai.request.temperature": options.temperature,
      "gen_ai.conversation.id": conversationId,
    },
    parent,
    signal: options.signal,
  });
  recordInput(operation, context);
  const common = { "gen_ai.operation.name": "chat", ...attributes };
  const sent = performance.now();
  let begun = false;
  const recorded: RecordedOptions = { ...options };
  recorded[RECORDED] = [...(recorded[RECORDED] ?? []), telemetry.api];
  return {
    options: recorded,
    run: operation.run,
    begin: (partial) => {
      if (begun) return;
      begun = true;
      const seconds = (performance.now() - sent) / 1000;
      operation.set({ "gen_ai.response.time_to_first_chunk": seconds });
      telemetry.record("gen_ai.client.operation.time_to_first_chunk", "s", seconds, {
        ...common,
        ...describeResponder(partial),
      });
    },
    end: (message) => {
      recordResponse(operation, message);
      const responder = describeResponder(message);
      const { input, output, cacheRead, cacheWrite } = message.usage;
      const tokens = { input: input + cacheRead + cacheWrite, output };
      for (const [type, count] of Object.entries(tokens))
        if (count)
          telemetry.record("gen_ai.client.token.usage", "{token}", count, {
            ...common,
            ...responder,
            "gen_ai.token.type": type,
          });
      operation.end(failureOf(message), responder);
    },
    fail: (error) =>
      operation.end(describeError(error, collectSecrets([options.apiKey], options.headers, model.headers))),
  };
}

/** Returns the failure of a response; undefined if it succeeded. */
export function failureOf({
  error,
  errorMessage,
  stopReason,
}: AssistantMessage): { type: string; message: string | undefined } | undefined {
  if (stopReason !== "error" && stopReason !== "aborted") return undefined;
  return { type: error?.kind ?? stopReason, message: errorMessage };
}

/**
 * Returns the name and the text of a thrown value, which may be anything: visible, short, and without credentials.
 *
 * @param secrets values that must not appear
 */
export function describeError(error: unknown, secrets: readonly string[] = []): { type: string; message: string } {
  try {
    if (error instanceof Error) {
      // A name may be any text of the one who throws.
      const type = visibleLine(describeThrown(error.name, secrets)).slice(0, MAX_NAME);
      return { type, message: describeThrown(error, secrets) };
    }
  } catch {
    // A getter threw.
  }
  return { type: "_OTHER", message: "" };
}

/** The longest name of an error. */
const MAX_NAME = 100;

/**
 * The attributes of token counts; those of a run are the sums of its responses. Empty if a failure left no counts: how many
 * tokens the request has used is not known then.
 */
export function describeUsage(usage: AssistantMessage["usage"], hasFailed = false): Record<string, number | undefined> {
  const { input, output, cacheRead, cacheWrite, reasoning, cost } = usage;
  if (hasFailed && input + output + cacheRead + cacheWrite === 0) return {};
  return {
    "gen_ai.usage.input_tokens": input + cacheRead + cacheWrite,
    "gen_ai.usage.output_tokens": output,
    "gen_ai.usage.cache_read.input_tokens": cacheRead,
    "gen_ai.usage.cache_creation.input_tokens": cacheWrite,
    "gen_ai.usage.reasoning.output_tokens": reasoning,
    // Not in the conventions, which have no cost. US dollars.
    "pi.usage.cost": cost.total,
  };
}

function recordInput(operation: Operation, context: ContextInput): void {
  const read = () => normalizeContext(context);
  operation.setContent("gen_ai.system_instructions", () => {
    const { systemPrompt } = read();
    return systemPrompt ? [{ type: "text", content: systemPrompt }] : undefined;
  });
  operation.setContent("gen_ai.input.messages", () => read().messages.map(toMessage));
  operation.setContent("gen_ai.tool.definitions", () =>
    read().tools?.map(({ name, description, parameters }) => ({ type: "function", name, description, parameters })),
  );
}

function recordResponse(operation: Operation, message: AssistantMessage): void {
  operation.set({
    "gen_ai.response.id": message.responseId,
    ...describeResponder(message),
    "gen_ai.response.finish_reasons": [finishReason(message)],
    // Not in the conventions.
    "pi.request.attempts": message.error?.attempts ?? attemptsOf(message),
    ...describeUsage(message.usage, failureOf(message) !== undefined),
  });
  operation.setContent("gen_ai.output.messages", () => [
    { ...toMessage(message), finish_reason: finishReason(message) },
  ]);
}

/** In the words of the conventions. */
function finishReason({ stopReason, error }: AssistantMessage): string {
  if (error?.kind === "content_filter") return "content_filter";
  return stopReason === "toolUse" ? "tool_call" : stopReason;
}

function toMessage(message: Message): { role: string; parts: unknown[] } {
  const { content } = message;
  const parts = typeof content === "string" ? [{ type: "text", content }] : content.map(toPart);
  if (message.role !== "toolResult") return { role: message.role, parts };
  return { role: "tool", parts: [{ type: "tool_call_response", id: message.toolCallId, response: parts }] };
}

/** Binary data and opaque data of providers are not recorded. */
function toPart(block: Exclude<Message["content"], string>[number]): object {
  switch (block.type) {
    case "text":
      return { type: "text", content: block.text };
    case "thinking":
      return { type: "reasoning", content: block.thinking };
    case "toolCall":
      return { type: "tool_call", id: block.id, name: block.name, arguments: block.arguments };
    default:
      return { type: block.type, ...("mimeType" in block && { mime_type: block.mimeType }) };
  }
}
