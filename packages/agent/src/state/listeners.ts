/**
 * The listeners of an agent. The run calls them one after the other and waits for each; an error in one affects neither
 * the run nor the others.
 */
import { type AbortGate, ONE_TICK } from "../abort-gate.js";
import type { AgentEvent, AgentListener } from "../types/event.js";
import { ListenerCalls } from "./listener-calls.js";
import type { ListenerErrorHandler } from "./listener-errors.js";

/** Ticks of the microtask queue at the end of a run, for each of its events and at most. A tick takes about 50 ns. */
const TICKS_PER_EVENT = 4;
const MAX_TICKS = 1000;

/** An event and the listeners that have not received it yet. */
interface Dispatch {
  rest: SetIterator<AgentListener>;
  event: AgentEvent;
  signal: AbortSignal;
}

export class AgentListeners {
  readonly #calls: ListenerCalls;
  readonly #listeners = new Set<AgentListener>();
  /** Dispatches that wait for a listener, in the order of their events. */
  readonly #dispatches = new Set<Dispatch>();
  /** Events of the run so far. */
  #events = 0;

  constructor(onError?: ListenerErrorHandler) {
    this.#calls = new ListenerCalls(onError);
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
    const rest = this.#listeners.values();
    const first = rest.next();
    if (first.done) return undefined;
    this.#events++;
    // Without waiting, an event could overtake an earlier one on its way to the listeners.
    if (gate.graceOver) for (const earlier of this.#dispatches) this.#finish(earlier);
    const called = this.#calls.call(first.value, event, signal);
    // The common case is cheap: one listener that returns no promise.
    const isOnly = this.#listeners.size === 1 && this.#listeners.has(first.value);
    if (called === ONE_TICK && isOnly) return ONE_TICK;
    const dispatch: Dispatch = { rest, event, signal };
    return gate.graceOver ? this.#finish(dispatch) : this.#deliver(dispatch, called, gate);
  }

  /** Reports what middleware has thrown at the end of a run. */
  reportLate(error: unknown): void {
    this.#calls.errors.report(error, { type: "agent_end", messages: [] }, { source: this, name: "Middleware" });
  }

  /**
   * Gives clients that queue their own work time to catch up at the end of a run, and then reports how many errors were
   * only counted. Microtasks only: a timer would make `prompt()` hang under the fake clock of a test.
   */
  async waitForClients(): Promise<void> {
    const ticks = Math.min(this.#events * TICKS_PER_EVENT, MAX_TICKS);
    this.#events = 0;
    for (let tick = 0; tick < ticks; tick++) await undefined;
    this.#calls.errors.flush();
  }

  /** A promise for the end of the run. See {@link ListenerCalls.waitForIdle}. */
  waitForIdle(settled: Promise<void>): Promise<void> {
    return this.#calls.waitForIdle(settled);
  }

  /** Waits for a listener that was called, and calls and awaits the others. */
  async #deliver(dispatch: Dispatch, first: Promise<void>, gate: AbortGate): Promise<void> {
    this.#dispatches.add(dispatch);
    for (let called: Promise<void> | undefined = first; called; called = this.#callNext(dispatch)) {
      await (called === ONE_TICK ? called : gate.waitForObserver(called));
      if (gate.graceOver) this.#finish(dispatch);
    }
    this.#dispatches.delete(dispatch);
  }

  /** Calls the remaining listeners without waiting for any. */
  #finish(dispatch: Dispatch): undefined {
    while (this.#callNext(dispatch)) {}
  }

  #callNext({ rest, event, signal }: Dispatch): Promise<void> | undefined {
    const next = rest.next();
    return next.done ? undefined : this.#calls.call(next.value, event, signal);
  }
}
