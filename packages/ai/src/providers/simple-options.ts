/** Converts the simple options that mean the same in every api. */
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions, StreamOptions } from "../types/options.js";

/** The name of an output format that has none. Some apis require a name. */
export const DEFAULT_OUTPUT_NAME = "output";

/** Everything but `reasoning`, `thinkingBudgets` and `toolChoice`, which each api names differently. */
export function sharedOptions(options: SimpleStreamOptions): StreamOptions {
  const { reasoning: _reasoning, thinkingBudgets: _budgets, toolChoice: _toolChoice, ...shared } = options;
  return shared;
}

/**
 * The options that every api takes unchanged, for adapters whose server needs a limit. Without the caller's own limit, the
 * model's limits the response.
 */
export function commonOptions(model: Model, options: SimpleStreamOptions): StreamOptions {
  const maxTokens = options.maxTokens ?? (model.maxTokens > 0 ? model.maxTokens : undefined);
  const shared = sharedOptions(options);
  return maxTokens === undefined ? shared : { ...shared, maxTokens };
}
