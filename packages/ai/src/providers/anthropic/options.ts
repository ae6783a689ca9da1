/** Options of the Anthropic Messages API, and simple options in its terms. */
import { resolveAnthropicFlags } from "../../compat/anthropic.js";
import { clampThinkingLevel } from "../../compat/thinking.js";
import type { PostingClient } from "../../sdk/http-sdk.js";
import type { Model } from "../../types/model.js";
import type { SimpleStreamOptions, StreamOptions } from "../../types/options.js";
import type { ThinkingBudgets, ThinkingLevel } from "../../types/thinking.js";
import { commonOptions } from "../simple-options.js";

/** How much work a model with adaptive thinking puts into an answer. */
export type AnthropicEffort = "low" | "medium" | "high" | "xhigh" | "max";

export type AnthropicThinkingDisplay = "summarized" | "omitted";

export interface AnthropicOptions extends StreamOptions {
  /** Default: nothing is said about thinking. */
  thinkingEnabled?: boolean;
  /** Tokens for thinking, on models that take a budget. Default 1024. */
  thinkingBudgetTokens?: number;
  /** For models with adaptive thinking. */
  effort?: AnthropicEffort;
  /** Default `"summarized"`. */
  thinkingDisplay?: AnthropicThinkingDisplay;
  /** Think between tool calls, on models that need to be asked. Default true. */
  interleavedThinking?: boolean;
  toolChoice?: "auto" | "any" | "none" | { type: "tool"; name: string } | (object & {}) | (string & {});
  /** A client of `@anthropic-ai/sdk` (or one like it) that sends the requests, with its own key and address. */
  client?: PostingClient;
}

const BUDGETS: Required<ThinkingBudgets> = { minimal: 1024, low: 2048, medium: 8192, high: 16384 };
const EFFORTS: Record<ThinkingLevel, AnthropicEffort> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};
/** What is left for the answer itself when a budget would take everything. */
const SMALLEST_ANSWER = 1024;

export function simpleAnthropicOptions(model: Model, options: SimpleStreamOptions): AnthropicOptions {
  const base: AnthropicOptions = { ...commonOptions(model, options), ...toolChoiceOption(options) };
  const level = options.reasoning && clampThinkingLevel(model, options.reasoning);
  if (!level || level === "off") return { ...base, thinkingEnabled: false };
  if (resolveAnthropicFlags(model).forceAdaptiveThinking) {
    // The catalogue's maps hold efforts for these models.
    const effort = (model.thinkingLevelMap?.[level] as AnthropicEffort | null | undefined) ?? EFFORTS[level];
    return { ...base, thinkingEnabled: true, effort };
  }
  return { ...base, thinkingEnabled: true, ...budgetOptions(model, level, options) };
}

/** The budget comes on top of the answer's own length, as far as the model allows, and always stays below the sum. */
function budgetOptions(model: Model, level: ThinkingLevel, options: SimpleStreamOptions): AnthropicOptions {
  const step = level === "xhigh" || level === "max" ? "high" : level;
  const budget = options.thinkingBudgets?.[step] ?? BUDGETS[step];
  const base = options.maxTokens ?? model.maxTokens;
  const maxTokens = model.maxTokens > 0 ? Math.min(base + budget, model.maxTokens) : base + budget;
  return { maxTokens, thinkingBudgetTokens: maxTokens > budget ? budget : Math.max(0, maxTokens - SMALLEST_ANSWER) };
}

function toolChoiceOption({ toolChoice }: SimpleStreamOptions): AnthropicOptions {
  if (toolChoice === undefined) return {};
  return { toolChoice: toolChoice === "required" ? "any" : toolChoice };
}
