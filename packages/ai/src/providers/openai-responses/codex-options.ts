/** Options of ChatGPT's Responses API. */
import type { StreamOptions, Transport } from "../../types/options.js";
import type { ThinkingLevel } from "../../types/thinking.js";
import type { ResponsesToolChoice } from "./options.js";

/** Options of OpenAI's Responses as ChatGPT offers them. */
export interface OpenAICodexResponsesOptions extends StreamOptions {
  /**
   * `"websocket"` sends the whole conversation, `"websocket-cached"` and `"auto"` only what is new to a connection that
   * the session (`sessionId`) kept. Where no WebSocket can be had before the first event, all of them go over HTTP, and
   * the message says so in a diagnostic. A connection is kept for five minutes without use, or until
   * `cleanupSessionResources()`, and keeps the process alive as long. Default: a WebSocket that sends the whole
   * conversation; `"sse"` with a `fetch` of the caller's own.
   */
  transport?: Transport;
  /** Default `"auto"`. */
  toolChoice?: ResponsesToolChoice;
  /** Default: the server decides. */
  reasoningEffort?: ThinkingLevel | "none";
  /** How much of its thinking the model sums up; `"on"` is `"auto"`, `"off"` and `null` are nothing. Default `"auto"`. */
  reasoningSummary?: "auto" | "concise" | "detailed" | "off" | "on" | null;
  /** Sent as `service_tier`; it changes the price. */
  serviceTier?: "auto" | "default" | "flex" | "priority" | (string & {});
  /** How long answers are. Default `"low"`. */
  textVerbosity?: "low" | "medium" | "high";
}
