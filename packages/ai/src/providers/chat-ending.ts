/** Determines how a response of Chat Completions, or of an api modelled on it, ended. */
import type { ApiRequest } from "../driver/index.js";
import type { MessageSink } from "../message/index.js";
import { isSameModel } from "../request/index.js";
import type { ErrorKind, StopReason } from "../types/message.js";
import { formatThrownValue } from "../utils/diagnostics.js";

/** The ending of a response, for the tables that map a provider's own values. */
export interface Ending {
  reason: StopReason;
  /** Explains an error. */
  message?: string;
  kind?: ErrorKind;
}

const STOP: Ending = { reason: "stop" };
const LENGTH: Ending = { reason: "length" };
const TOOL_USE: Ending = { reason: "toolUse" };
const WITHHELD: Ending = { reason: "error", kind: "content_filter" };
const FAILED: Ending = { reason: "error", kind: "server" };

/**
 * In lower case. OpenAI's API reference, "The chat completion chunk object"; the others are values that one vendor
 * documents, or that a gateway passes through from another api (all 2026-11).
 */
const ENDINGS: ReadonlyMap<string, Ending> = new Map([
  ["stop", STOP],
  ["length", LENGTH],
  ["tool_calls", TOOL_USE],
  ["function_call", TOOL_USE],
  ["content_filter", WITHHELD],
  // Mistral's API reference, "Chat completion".
  ["model_length", LENGTH],
  // llama.cpp and Together.
  ["end", STOP],
  ["eos", STOP],
  // Z.ai, "Core parameters: finish_reason".
  ["sensitive", WITHHELD],
  ["network_error", FAILED],
  ["model_context_window_exceeded", { reason: "error", kind: "context_overflow" }],
  // DeepSeek, "Create chat completion".
  ["insufficient_system_resource", { reason: "error", kind: "overloaded" }],
  // Mistral, OpenRouter, vLLM.
  ["error", FAILED],
  ["abort", FAILED],
  // Anthropic's values.
  ["end_turn", STOP],
  ["stop_sequence", STOP],
  ["max_tokens", LENGTH],
  ["tool_use", TOOL_USE],
  ["refusal", WITHHELD],
  // Google's values.
  ["safety", WITHHELD],
  ["recitation", WITHHELD],
  ["blocklist", WITHHELD],
  ["prohibited_content", WITHHELD],
  ["spii", WITHHELD],
  ["malformed_function_call", { reason: "error", kind: "protocol" }],
]);

/**
 * Decides from the finish reason and the end marker `[DONE]` how the response ended. A response with content and the
 * end marker is complete even if its finish reason is unknown; a diagnostic records that. Without a finish reason it is
 * complete unless it shows that it was cut off: a tool call is not finished, or the server sends finish reasons otherwise.
 */
export class ChatEnding {
  /** Whether the response held any text, thinking or tool call. */
  hasContent = false;
  readonly #expectsReason: boolean;
  readonly #isCutOff: (sink: MessageSink) => boolean;
  #stopped = false;
  #unknownReason: string | undefined;

  /**
   * @param isCutOff whether a response without a finish reason is not complete
   * @param expectsReason whether the server sends a finish reason; if not, the end marker is enough
   */
  constructor(isCutOff: (sink: MessageSink) => boolean, expectsReason = true) {
    this.#isCutOff = isCutOff;
    this.#expectsReason = expectsReason;
  }

  /** Records a finish reason, which may be of any type. */
  finish(finishReason: unknown, sink: MessageSink): void {
    const word = formatThrownValue(finishReason);
    const ending = ENDINGS.get(word.toLowerCase());
    if (!ending) {
      this.#unknownReason = word;
      return;
    }
    this.#stopped = true;
    if (ending.reason === "error") fail(word, ending.kind, sink);
    else sink.stop(ending.reason);
  }

  /** The end marker arrived. */
  complete(sink: MessageSink): void {
    if (this.#stopped) return;
    if (!this.#expectsReason) {
      sink.stop("stop");
      return;
    }
    if (!this.hasContent) {
      this.end(sink);
      return;
    }
    if (this.#unknownReason === undefined && this.#isCutOff(sink)) return;
    sink.stop("stop");
    if (this.#unknownReason === undefined) sink.note("missing_finish_reason");
    else sink.note("unknown_finish_reason", { finishReason: this.#unknownReason });
  }

  /** The body ended without the end marker. */
  end(sink: MessageSink): void {
    if (!this.#stopped && this.#unknownReason !== undefined) fail(this.#unknownReason, "protocol", sink);
  }
}

/** Endings that a server stated, unless a diagnostic says otherwise. */
const STATED: ReadonlySet<string> = new Set(["stop", "length", "toolUse"]);
const UNSTATED: ReadonlySet<string> = new Set(["missing_finish_reason", "unknown_finish_reason"]);

/** Whether the server of a model has ended an earlier response of the conversation with a finish reason. */
export function statesReasons({ context, model }: Pick<ApiRequest, "context" | "model">): boolean {
  return context.messages.some(
    (message) =>
      message.role === "assistant" &&
      isSameModel(message, model) &&
      STATED.has(message.stopReason) &&
      !message.diagnostics?.some(({ type }) => UNSTATED.has(type)),
  );
}

function fail(word: string, kind: Ending["kind"], sink: MessageSink): void {
  sink.stop("error", `Provider finish_reason: ${word}`, kind);
}
