/**
 * The listeners of an agent. The run calls them one after the other and waits for each; an error in one affects neither
 * the run nor the others.
 *
 * A listener that awaits `waitForIdle()` would deadlock: the run waits for the listener, and the listener for the run. A
 * call that a listener makes before its first `await` is recognized, because the listener is then on the call stack, and
 * its promise resolves as soon as the run waits for that listener. A later call looks like a call from outside in every
 * runtime without asynchronous context, so it waits for the real end.
 */
import { type AbortGate, isPromiseLike } from "../loop/index.js";
import type { AgentEvent, AgentListener } from "../types/event.js";
import { ConsoleReport } from "./console-report.js";

/** Turns of the microtask queue at the end of a run, for each of its events and at most. A turn takes about 50 ns. */
const CATCH_UP_TURNS = 4;
const MAX_CATCH_UP_TURNS = 1000;

export type ListenerErrorHandler = (error: unknown, event: AgentEvent) => void;

/** An event and the listeners that have not received it yet. */
interface Dispatch {
  rest: Iterator<AgentListener>;
  event: AgentEvent;
  signal: AbortSignal;
  gate: AbortGate;
}

export class AgentListeners {
  readonly #listeners = new Set<AgentListener>();
  /** Dispatches that wait for a listener, in the order of their events. */
  readonly #dispatches = new Set<Dispatch>();
  readonly #onError: ListenerErrorHandler | undefined;
  readonly #console = new ConsoleReport();
  /** Events of the run so far. */
  #events = 0;
  /** Whether a listener is on the call stack. */
  #isCalling = false;
  /** The promise that {@link AgentListeners.waitForIdle} returned to the listener on the call stack. */
  #innerWait: PromiseWithResolvers<void> | undefined;

  constructor(onError?: ListenerErrorHandler) {
    this.#onError = onError;
  }

  /** Returns a function that removes the listener and returns whether it was still subscribed. */
  subscribe(listener: AgentListener): () => boolean {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Passes an event to every listener, in the order of subscription. A listener that is added meanwhile gets the event
   * too; one that is removed before its turn does not. After the grace period of an abort no listener is waited for.
   *
   * @returns a promise that never rejects; undefined if there is nothing to wait for
   */
  notify(event: AgentEvent, signal: AbortSignal, gate: AbortGate): Promise<void> | undefined {
    if (this.#listeners.size === 0) return undefined;
    this.#events++;
    // Without waiting, an event could overtake an earlier one on its way to the listeners.
    if (gate.graceOver) for (const earlier of this.#dispatches) this.#finish(earlier);
    const dispatch = { rest: this.#listeners.values(), event, signal, gate };
    return gate.graceOver ? this.#finish(dispatch) : this.#deliver(dispatch);
  }

  /**
   * A promise for the end of the run. For a listener that is on the call stack it resolves as soon as the run waits for
   * that listener.
   */
  waitForIdle(settled: Promise<void>): Promise<void> {
    if (!this.#isCalling) return settled;
    this.#innerWait ??= Promise.withResolvers<void>();
    settled.then(this.#innerWait.resolve);
    return this.#innerWait.promise;
  }

  async #deliver(dispatch: Dispatch): Promise<void> {
    const { rest, event, signal, gate } = dispatch;
    for (let next = rest.next(); !next.done; next = rest.next()) {
      const pending = this.#call(next.value, event, signal);
      if (gate.graceOver) return this.#finish(dispatch);
      if (!pending) {
        // One turn of the microtask queue, as if the listener had been awaited: a client that queues work keeps pace.
        await undefined;
        continue;
      }
      this.#dispatches.add(dispatch);
      await gate.waitForObserver(pending);
      this.#dispatches.delete(dispatch);
    }
  }

  /**
   * Gives clients that queue their own work time to catch up at the end of a run, and then reports how many errors were
   * only counted. Microtasks only: a timer would make `prompt()` hang under the fake clock of a test.
   */
  async catchUp(): Promise<void> {
    const turns = Math.min(this.#events * CATCH_UP_TURNS, MAX_CATCH_UP_TURNS);
    this.#events = 0;
    for (let turn = 0; turn < turns; turn++) await undefined;
    this.#console.flush();
  }

  /** Calls the remaining listeners without waiting for any. */
  #finish({ rest, event, signal }: Dispatch): undefined {
    for (let next = rest.next(); !next.done; next = rest.next()) this.#call(next.value, event, signal);
  }

  /** Undefined when the listener returned no promise. */
  #call(listener: AgentListener, event: AgentEvent, signal: AbortSignal): Promise<void> | undefined {
    const wasCalling = this.#isCalling;
    const outerWait = this.#takeInnerWait();
    this.#isCalling = true;
    try {
      const returned: unknown = listener(event, signal);
      if (!isPromiseLike(returned)) return undefined;
      this.#takeInnerWait()?.resolve();
      return Promise.resolve(returned).then(
        () => {},
        (error: unknown) => this.#report(error, event, listener),
      );
    } catch (error) {
      this.#report(error, event, listener);
      return undefined;
    } finally {
      this.#isCalling = wasCalling;
      this.#innerWait = outerWait;
    }
  }

  #takeInnerWait(): PromiseWithResolvers<void> | undefined {
    const taken = this.#innerWait;
    this.#innerWait = undefined;
    return taken;
  }

  #report(error: unknown, event: AgentEvent, source: object): void {
    const onError = this.#onError;
    try {
      if (onError) onError(error, event);
      else this.#console.add(error, event, source);
    } catch (reportError) {
      this.#console.add(reportError, event, onError ?? source);
    }
  }
}
