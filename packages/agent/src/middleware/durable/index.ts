/**
 * Agents whose runs survive the process, on an engine that remembers steps.
 *
 * @module pi-agent/durable
 */

export { type DurableOptions, durable } from "./durable.js";
export type { DurableRunSteps, Inbox } from "./durable-run-steps.js";
export { type DurableSteps, StepMismatchError } from "./durable-steps.js";
export type { DurableLedger, LedgerEntry } from "./ledger.js";
