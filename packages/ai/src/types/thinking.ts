/** Thinking levels and budgets. */

/** How hard a model should think. A level that the model does not support becomes the nearest one that it does. */
export type ThinkingLevel = "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
/** A thinking level, or `off`. */
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
