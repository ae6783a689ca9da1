/** Budgets, and runs that repeat themselves. */
export { ContentHash } from "./content-hash.js";
export { countChild, sumUsage } from "./sum-usage.js";
