/** Determines how a response of Chat Completions, or of an api modelled on it, ended. */
import type { MessageSink } from "../assemble/message-sink.js";
import { formatThrownValue } from "../utils/diagnostics.js";
import type { Ending } from "./ending.js";

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
 * end marker is complete even if its finish reason is missing or unknown; a diagnostic records that.
 */
export class ChatEnding {
  /** Whether the response held any text, thinking or tool call. */
  hasContent = false;
  readonly #expectsReason: boolean;
  #stopped = false;
  #unknownReason: string | undefined;

  /** @param expectsReason whether the server sends a finish reason; if not, the end marker is enough */
  constructor(expectsReason = true) {
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
    sink.stop("stop");
    if (this.#unknownReason === undefined) sink.note("missing_finish_reason");
    else sink.note("unknown_finish_reason", { finishReason: this.#unknownReason });
  }

  /** The body ended without the end marker. */
  end(sink: MessageSink): void {
    if (!this.#stopped && this.#unknownReason !== undefined) fail(this.#unknownReason, "protocol", sink);
  }
}

function fail(word: string, kind: Ending["kind"], sink: MessageSink): void {
  sink.stop("error", `Provider finish_reason: ${word}`, kind);
}
