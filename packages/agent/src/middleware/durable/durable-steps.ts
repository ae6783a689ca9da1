/** The interface of an engine that remembers steps. */

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
   * occur in the same order in each process; several steps may run at once. `work` never rejects, and returns JSON. An
   * error of `run` is an error of the engine: the run stops and rejects with it.
   */
  run<TValue>(name: string, work: () => Promise<TValue>): Promise<TValue>;
  /** Waits for a value that another process sends under this name. Needed for approvals. */
  waitFor?<TValue>(name: string, signal?: AbortSignal): Promise<TValue>;
}
