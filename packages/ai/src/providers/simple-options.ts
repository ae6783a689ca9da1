/** The part of simple options that means the same in every protocol. */
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions, StreamOptions } from "../types/options.js";

/**
 * Everything but `reasoning`, `thinkingBudgets` and `toolChoice`, which each protocol spells in its own way. The answer's
 * length is bounded by the model's own limit where the caller gives none.
 */
export function commonOptions(model: Model, options: SimpleStreamOptions): StreamOptions {
  const { reasoning: _reasoning, thinkingBudgets: _budgets, toolChoice: _toolChoice, ...common } = options;
  const maxTokens = options.maxTokens ?? (model.maxTokens > 0 ? model.maxTokens : undefined);
  return maxTokens === undefined ? common : { ...common, maxTokens };
}
