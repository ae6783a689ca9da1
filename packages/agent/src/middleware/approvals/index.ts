/**
 * Approvals of tool calls.
 *
 * @module pi-agent/approvals
 */
export { type ApprovalsOptions, approvals } from "./approvals.js";
