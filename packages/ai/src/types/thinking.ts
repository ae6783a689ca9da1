/** How hard a model thinks. */

/** How hard a model should think. A level that the model does not have becomes the nearest one it has. */
export type ThinkingLevel = "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
/** A thinking level of a model, or none. */
export type ModelThinkingLevel = "off" | ThinkingLevel;

/** Thinking budgets in tokens, for models that take a budget instead of a level. */
export interface ThinkingBudgets {
  /** Tokens for `minimal`. */
  minimal?: number;
  /** Tokens for `low`. */
  low?: number;
  /** Tokens for `medium`. */
  medium?: number;
  /** Tokens for `high`. */
  high?: number;
}
