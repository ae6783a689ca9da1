/**
 * Agents whose runs survive the process, on an engine that remembers steps.
 *
 * @module pi-agent/durable
 */

export { type DurableOptions, durable } from "../durable/durable.js";
export type { DurableLedger, LedgerEntry } from "../durable/durable-ledger.js";
export type { DurableRunSteps, Inbox } from "../durable/durable-run.js";
export type { DurableSteps } from "../durable/durable-steps.js";
export { StepMismatchError } from "../durable/step-mismatch-error.js";
