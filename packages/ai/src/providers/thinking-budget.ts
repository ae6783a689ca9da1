/** Converts thinking levels to budgets or efforts, for Claude on any host. */
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import type { ThinkingBudgets, ThinkingLevel } from "../types/thinking.js";

const BUDGETS: Required<ThinkingBudgets> = { minimal: 1024, low: 2048, medium: 8192, high: 16384 };
const EFFORTS: Readonly<Record<ThinkingLevel, string>> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};
/** Tokens reserved for the response if a budget would use the whole limit. */
const MIN_RESPONSE_TOKENS = 1024;
/** Claude rejects a smaller budget (platform.claude.com, "Extended thinking", 2026-11). */
const MIN_BUDGET_TOKENS = 1024;

/** The key of a level in {@link ThinkingBudgets}. */
export function budgetStep(level: ThinkingLevel): keyof ThinkingBudgets {
  return level === "xhigh" || level === "max" ? "high" : level;
}

/** Tokens for thinking at a level. */
export function thinkingBudget(level: ThinkingLevel, budgets: ThinkingBudgets | undefined): number {
  const step = budgetStep(level);
  return budgets?.[step] ?? BUDGETS[step];
}

/** The effort for a level, in the model's own words where it has them. */
export function thinkingEffort(model: Pick<Model, "thinkingLevelMap">, level: ThinkingLevel): string {
  return model.thinkingLevelMap?.[level] ?? EFFORTS[level];
}

/**
 * Adds the budget to the response's own length, up to the model's limit, and keeps the budget below the sum. A budget of 0
 * means that the limit leaves no room to think.
 */
export function fitThinkingBudget(
  model: Model,
  level: ThinkingLevel,
  options: SimpleStreamOptions,
): { maxTokens: number; budget: number } {
  const budget = thinkingBudget(level, options.thinkingBudgets);
  const base = options.maxTokens ?? model.maxTokens;
  const maxTokens = model.maxTokens > 0 ? Math.min(base + budget, model.maxTokens) : base + budget;
  if (maxTokens > budget) return { maxTokens, budget };
  const room = maxTokens - MIN_RESPONSE_TOKENS;
  return { maxTokens, budget: room < MIN_BUDGET_TOKENS ? 0 : room };
}
