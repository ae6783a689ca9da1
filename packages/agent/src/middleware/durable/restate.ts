/**
 * Restate as the engine of durable agents.
 *
 * @module pi-agent/durable/restate
 */

export {
  killRun,
  type RestateContext,
  type RestatePromiseLike,
  type RestateSdk,
  restateOptions,
  restateSteps,
} from "./restate-steps.js";
