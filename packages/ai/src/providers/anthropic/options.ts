/** Options of the Anthropic Messages API, and simple options in its terms. */
import { resolveAnthropicFlags } from "../../catalogue/compat/index.js";
import { clampThinkingLevel } from "../../catalogue/index.js";
import type { PostingClient } from "../../transport/sdk/http-sdk.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions, StreamOptions } from "../../types/options.js";
import { sharedOptions } from "../simple-options.js";
import { fitThinkingBudget, thinkingEffort } from "../thinking.js";

/** The effort that a model with adaptive thinking puts into a response. */
export type AnthropicEffort = "low" | "medium" | "high" | "xhigh" | "max";

/** Whether thinking comes back as a summary or not at all. */
export type AnthropicThinkingDisplay = "summarized" | "omitted";

/** Options of the Anthropic Messages API. */
export interface AnthropicOptions extends StreamOptions {
  /** Default: the request has no thinking fields. */
  thinkingEnabled?: boolean | undefined;
  /** Tokens for thinking, on models that take a budget. Default 1024. */
  thinkingBudgetTokens?: number | undefined;
  /** For models with adaptive thinking. */
  effort?: AnthropicEffort | undefined;
  /** Default `"summarized"`. */
  thinkingDisplay?: AnthropicThinkingDisplay | undefined;
  /** Request thinking between tool calls, on models where it is optional. Default true. */
  interleavedThinking?: boolean | undefined;
  /** Whether the model may, must or must not call a tool, or which. Default: the API's own, `auto`. */
  toolChoice?: "auto" | "any" | "none" | { type: "tool"; name: string } | (object & {}) | (string & {}) | undefined;
  /** A client of `@anthropic-ai/sdk` (or one like it) that sends the requests, with its own key and address. */
  client?: PostingClient | undefined;
}

export function simpleAnthropicOptions(model: Model, options: SimpleStreamOptions): AnthropicOptions {
  const base: AnthropicOptions = { ...sharedOptions(options), ...toolChoiceOption(options) };
  const level = options.reasoning && clampThinkingLevel(model, options.reasoning);
  if (!level || level === "off") return { ...base, thinkingEnabled: false };
  if (resolveAnthropicFlags(model).forceAdaptiveThinking) {
    // The catalogue's maps hold efforts for these models.
    return { ...base, thinkingEnabled: true, effort: thinkingEffort(model, level) as AnthropicEffort };
  }
  const { maxTokens, budget } = fitThinkingBudget(model, level, options);
  if (budget === 0) return { ...base, thinkingEnabled: false };
  const limit = maxTokens === undefined ? {} : { maxTokens };
  return { ...base, ...limit, thinkingEnabled: true, thinkingBudgetTokens: budget };
}

function toolChoiceOption({ toolChoice }: SimpleStreamOptions): AnthropicOptions {
  if (toolChoice === undefined) return {};
  return { toolChoice: toolChoice === "required" ? "any" : toolChoice };
}
