/**
 * Agents whose runs survive the process, on an engine that remembers steps.
 *
 * @module pi-agent/durable
 */

export {
  type DurableLedger,
  type DurableOptions,
  type DurableRunSteps,
  durable,
  type Inbox,
  type LedgerEntry,
} from "./durable.js";
export { type DurableSteps, StepMismatchError } from "./durable-steps.js";
