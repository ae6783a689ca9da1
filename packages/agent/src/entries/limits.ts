/**
 * Budgets, the detection of loops, and tools that run agents.
 *
 * @module pi-agent/limits
 */
export { type AgentToolDetails, type AgentToolOptions, agentTool, type ChildAgent } from "../limits/agent-tool.js";
export { Budget, type BudgetOptions, type BudgetUse } from "../limits/budget.js";
export { type LimitsOptions, limits } from "../limits/limits.js";
export type { LoopOptions } from "../limits/loop-options.js";
export { sumUsage } from "../limits/sum-usage.js";
