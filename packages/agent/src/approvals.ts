/**
 * Approvals of tool calls.
 *
 * @module pi-agent/approvals
 */
export { type ApprovalsOptions, approvals } from "./middleware/approvals/approvals.js";
