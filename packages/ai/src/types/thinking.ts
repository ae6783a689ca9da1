/** How hard a model thinks. */

/** How hard a model should think. A level that the model does not have becomes the nearest one it has. */
export type ThinkingLevel = "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
export type ModelThinkingLevel = "off" | ThinkingLevel;

/** Thinking budgets in tokens, for models that take a budget instead of a level. */
export interface ThinkingBudgets {
  minimal?: number;
  low?: number;
  medium?: number;
  high?: number;
}
