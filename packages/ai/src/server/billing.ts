/** The most that a request may cost, and an estimate of what it used if the provider did not say so. */

import { supportsOutputLimit } from "../catalogue/compat/index.js";
import type { Model, ThinkingBudgets } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { Problem } from "./problem.js";

const BUDGET_STEPS = ["minimal", "low", "medium", "high"] as const satisfies (keyof ThinkingBudgets)[];

export interface LimitedRequest {
  model: Model;
  options: SimpleStreamOptions;
}

/**
 * Limits the response and its reasoning together. Adapters never request more than the model's own `maxTokens`, even if
 * they add a thinking budget to it. So they receive a copy of the model with the limit as its `maxTokens`.
 *
 * @throws Problem 403 for a model whose api has no field for the limit
 */
export function limitOutput({ model, options }: LimitedRequest, limit: number | undefined): LimitedRequest {
  if (limit === undefined) return { model, options };
  if (!supportsOutputLimit(model)) {
    throw new Problem(403, `The model ${model.provider}/${model.id} has no output limit, and this server requires one`);
  }
  const { thinkingBudgets } = options;
  return {
    model: { ...model, maxTokens: model.maxTokens > 0 ? Math.min(model.maxTokens, limit) : limit },
    options: {
      ...options,
      maxTokens: Math.min(options.maxTokens ?? limit, limit),
      ...(thinkingBudgets ? { thinkingBudgets: limitBudgets(thinkingBudgets, limit) } : {}),
    },
  };
}

function limitBudgets(budgets: ThinkingBudgets, limit: number): ThinkingBudgets {
  const limited: ThinkingBudgets = {};
  for (const step of BUDGET_STEPS) {
    const budget = budgets[step];
    if (budget !== undefined) limited[step] = Math.min(budget, limit);
  }
  return limited;
}
