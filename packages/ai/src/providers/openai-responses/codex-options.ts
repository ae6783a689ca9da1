/** Options of ChatGPT's Responses API. */
import type { StreamOptions, Transport } from "../../types/options.js";
import type { ThinkingLevel } from "../../types/thinking.js";
import type { ResponsesToolChoice } from "./options.js";

/** Options of the Responses API for ChatGPT subscriptions. */
export interface OpenAICodexResponsesOptions extends StreamOptions {
  /**
   * `"websocket"` sends the whole conversation, `"websocket-cached"` and `"auto"` only the new items, over the
   * connection of the session (`sessionId`). If no WebSocket delivers a first event, all of them fall back to HTTP, and
   * the message has a diagnostic. An idle connection stays open for five minutes, or until
   * `cleanupSessionResources()`, and keeps the process alive until then. Default: a WebSocket that sends the whole
   * conversation; `"sse"` with a `fetch` of the caller's own.
   */
  transport?: Transport;
  /** Default `"auto"`. */
  toolChoice?: ResponsesToolChoice;
  /** Default: the server decides. */
  reasoningEffort?: ThinkingLevel | "none";
  /** The detail of the thinking summary: `"on"` means `"auto"`; `"off"` and `null` mean none. Default `"auto"`. */
  reasoningSummary?: "auto" | "concise" | "detailed" | "off" | "on" | null;
  /** Sent as `service_tier`; it changes the price. */
  serviceTier?: "auto" | "default" | "flex" | "priority" | (string & {});
  /** The length of responses. Default `"low"`. */
  textVerbosity?: "low" | "medium" | "high";
}
