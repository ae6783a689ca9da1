/** Options of ChatGPT's Responses API. */
import type { StreamOptions } from "../../types/options.js";
import type { ThinkingLevel } from "../../types/thinking.js";
import type { ResponsesToolChoice } from "./options.js";

export interface OpenAICodexResponsesOptions extends StreamOptions {
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
