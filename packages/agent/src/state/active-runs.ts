/** The run of an agent that is in progress, and those that follow it for messages that came late: they share one signal and one end. */
import { AbortGate } from "../abort-gate.js";

export class ActiveRuns {
  readonly #controller = new AbortController();
  readonly #settled = Promise.withResolvers<void>();
  readonly #idleWork: (() => Promise<void>)[] = [];
  /** Its waits end when it is aborted. */
  readonly gate: AbortGate = new AbortGate(this.#controller.signal);

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves when the last run is over and its listeners are done. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }

  /** See `MiddlewareRun.whenIdle`. */
  whenIdle(work: () => Promise<void>): void {
    this.#idleWork.push(work);
  }

  /** Does the work that has waited for the end, then resolves {@link ActiveRuns.settled}. */
  async settle(onError: (error: unknown) => void): Promise<void> {
    for (const work of this.#idleWork) await work().catch(onError);
    this.#settled.resolve();
  }
}
