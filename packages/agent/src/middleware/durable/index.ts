/**
 * Agents whose runs survive the process, on an engine that remembers steps.
 *
 * @module pi-agent/durable
 */

export { type DurableOptions, durable } from "./durable.js";
export type { DurableLedger, LedgerEntry } from "./durable-ledger.js";
export type { DurableRunSteps, Inbox } from "./durable-run.js";
export type { DurableSteps } from "./durable-steps.js";
export { StepMismatchError } from "./step-mismatch-error.js";
