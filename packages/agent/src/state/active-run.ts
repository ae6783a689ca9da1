/** The run of an agent that is in progress, and how one is started. */
import type { AbortGate } from "../abort-gate.js";
import type { RunParent } from "../types/parent-run.js";

/** The run in progress. */
export interface ActiveRun {
  controller: AbortController;
  signal: AbortSignal;
  gate: AbortGate;
  settled: PromiseWithResolvers<void>;
  /** Whether the run has found both queues empty and is about to end. */
  isDrained: boolean;
  /** What is done when no further run follows by itself. */
  whenIdle: (() => Promise<void>)[];
}

export interface StartOptions {
  /** The prompts come from the steering queue, so the first turn takes no more of it. */
  hasTakenSteering?: boolean | undefined;
  parent?: RunParent | undefined;
}
