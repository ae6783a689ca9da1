/**
 * Budgets, the detection of loops, and tools that run agents.
 *
 * @module pi-agent/limits
 */

export { Budget, type BudgetOptions, type BudgetUse } from "./middleware/limits/budget.js";
export { type LimitsOptions, limits } from "./middleware/limits/limits.js";
export type { LoopOptions } from "./middleware/limits/loop-watch.js";
export { sumUsage } from "./middleware/limits/sum-usage.js";
export { type AgentToolDetails, type AgentToolOptions, agentTool, type ChildAgent } from "./tools/agent/agent-tool.js";
