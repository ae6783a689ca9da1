/** The interface of an engine that remembers steps, and the journal that checks what it remembers. */

import type { AgentMessage } from "../../types/message.js";

/**
 * Stores the steps of a run. Implemented for Restate, DBOS and a file; any engine with such a function works.
 *
 * @example
 * const steps: DurableSteps = { runId: id, run: (name, work) => step.run({ name }, work) };
 */
export interface DurableSteps {
  /** Identifies the run, in every process that works on it. */
  readonly runId?: string | undefined;
  /**
   * Calls `work` and stores its result, or returns the result stored under this name. Names are unique in a run and
   * occur in the same order in each process; several steps may run at once. `work` returns JSON, and rejects only with an
   * error of the engine in a step inside of it: then nothing may be stored. An error of `run` is an error of the engine: the
   * run stops and rejects with it.
   */
  run<TValue>(name: string, work: () => Promise<TValue>): Promise<TValue>;
  /** Waits for a value that another process sends under this name. Needed for approvals. */
  waitFor?<TValue>(name: string, signal?: AbortSignal): Promise<TValue>;
}

/** The steps of a run do not match those that an earlier process remembered. */
export class StepMismatchError extends Error {
  override readonly name = "StepMismatchError";
  /** The position of the step in its run, from 1. */
  readonly position: number;
  /** The step that this process is at. */
  readonly expected: string;
  /** The step that was remembered; undefined if the value was not written by this library. */
  readonly remembered: string | undefined;
  /** The conversation up to that step. */
  readonly messages: readonly AgentMessage[];

  constructor(
    at: { position: number; expected: string; remembered: string | undefined },
    messages: readonly AgentMessage[],
    problem?: string,
  ) {
    const found = at.remembered === undefined ? "an unreadable value" : `"${at.remembered}"`;
    super(
      problem ??
        `Step ${at.position} of the run is "${at.expected}", but ${found} was remembered. The code has changed since the run ` +
          "began: finish the run with the code that started it, or start a new run from the transcript in `messages`.",
    );
    this.position = at.position;
    this.expected = at.expected;
    this.remembered = at.remembered;
    this.messages = messages;
  }
}
