/**
 * Budgets, the detection of loops, and tools that run agents.
 *
 * @module pi-agent/limits
 */
export { Budget, type BudgetOptions, type BudgetUse } from "../limits/budget.js";
export { type LimitsOptions, limits } from "../limits/limits.js";
export type { LoopOptions } from "../limits/loop-options.js";
