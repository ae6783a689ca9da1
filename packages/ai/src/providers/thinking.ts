/** Thinking levels as budgets or efforts, and what else a request for thinking needs, mostly for Claude on any host. */

import { levelMapOf } from "../catalogue/index.js";
import { omittedOption } from "../driver/index.js";
import type { RequestNote } from "../transport/index.js";
import type { Model, ThinkingBudgets, ThinkingLevel } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import type { Complete } from "../utils/complete.js";

const BUDGETS: Complete<ThinkingBudgets> = { minimal: 1024, low: 2048, medium: 8192, high: 16384 };
const EFFORTS: Readonly<Record<ThinkingLevel, string>> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};
/** Tokens reserved for the response if a budget would use the whole limit. */
export const MIN_RESPONSE_TOKENS = 1024;
/** Claude rejects a smaller budget (platform.claude.com, "Extended thinking", 2026-11). */
export const MIN_BUDGET_TOKENS = 1024;

/** The key of a level in {@link ThinkingBudgets}. */
export function budgetStep(level: ThinkingLevel): keyof ThinkingBudgets {
  return level === "xhigh" || level === "max" ? "high" : level;
}

/** The diagnostic for a level that no field of the request can name. */
export function noteLevel(isLost: boolean): RequestNote[] {
  return isLost ? [omittedOption("reasoning", "no_field_in_api")] : [];
}

/** Tokens for thinking at a level. */
export function thinkingBudget(level: ThinkingLevel, budgets: ThinkingBudgets | undefined): number {
  const step = budgetStep(level);
  return budgets?.[step] ?? BUDGETS[step];
}

/** The effort for a level, in the model's own words where it has them. */
export function thinkingEffort(
  model: Pick<Model, "thinkingLevelMap"> & Partial<Pick<Model, "id" | "name">>,
  level: ThinkingLevel,
): string {
  return levelMapOf(model)?.[level] ?? EFFORTS[level];
}

/**
 * Adds the budget to the caller's limit, up to the model's limit, and keeps the budget below the sum. A budget of 0 means
 * that the limit leaves no room to think. Without a limit of the caller, the request gets its limit later.
 */
export function fitThinkingBudget(
  model: Model,
  level: ThinkingLevel,
  options: SimpleStreamOptions,
): { maxTokens?: number; budget: number } {
  const budget = thinkingBudget(level, options.thinkingBudgets);
  const most = model.maxTokens > 0 ? model.maxTokens : Number.POSITIVE_INFINITY;
  if (options.maxTokens === undefined) return { budget: limitBudget(budget, most) };
  const maxTokens = Math.min(options.maxTokens + budget, most);
  return { maxTokens, budget: limitBudget(budget, maxTokens) };
}

/** The budget if it is below the limit, else what the limit leaves beside a short response; 0 if that is too little. */
function limitBudget(budget: number, maxTokens: number): number {
  if (maxTokens > budget) return budget;
  const room = maxTokens - MIN_RESPONSE_TOKENS;
  return room < MIN_BUDGET_TOKENS ? 0 : room;
}

// Preserved thinking of Claude: a block is valid only after the prompt, the tools and the messages it was written after.

/** The beta that `block_binding` needs (platform.claude.com, "Preserved thinking"; `@anthropic-ai/sdk` 1.12; 2026-11). */
export const BINDING_BETA = "thinking-binding-controls-2026-08-01";

/**
 * A field of `thinking`: the server leaves out blocks whose prefix has changed, and reports them in
 * `input_transformations`, instead of rejecting the request. Dropped blocks cost nothing.
 */
export const DROPS_BROKEN_THINKING: object = { block_binding: { prefix_mismatch_behavior: "drop_block" } };
