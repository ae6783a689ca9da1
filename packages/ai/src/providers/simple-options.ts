/** The part of simple options that means the same in every protocol. */
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions, StreamOptions } from "../types/options.js";

/** Everything but `reasoning`, `thinkingBudgets` and `toolChoice`, which each protocol spells in its own way. */
export function sharedOptions(options: SimpleStreamOptions): StreamOptions {
  const { reasoning: _reasoning, thinkingBudgets: _budgets, toolChoice: _toolChoice, ...shared } = options;
  return shared;
}

/**
 * What of the simple options every protocol takes as it is, and the answer's length bounded by the model's own limit where
 * the caller gives no bound.
 */
export function commonOptions(model: Model, options: SimpleStreamOptions): StreamOptions {
  const maxTokens = options.maxTokens ?? (model.maxTokens > 0 ? model.maxTokens : undefined);
  const shared = sharedOptions(options);
  return maxTokens === undefined ? shared : { ...shared, maxTokens };
}
