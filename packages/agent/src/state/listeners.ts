/**
 * Who listens to an agent. Listeners are told one after the other, and each is waited for; what one throws harms neither
 * the run nor the others.
 *
 * A listener that waits for the run would wait for ever, because the run waits for the listener. It is therefore let go:
 * at once, and with an error, when it asked before its first `await`, after a second when it asked later, where it cannot be told from
 * somebody outside who asks at the same time.
 */
import { type AbortGate, isPromiseLike } from "../loop/abort-gate.js";
import type { AgentEvent, AgentListener } from "../types/event.js";

/** How long a listener is waited for after somebody began to wait for the run, in milliseconds. */
export const DEADLOCK_TIMEOUT_MS = 1000;

const REENTRANT_TEXT =
  "A listener called waitForIdle() while its own run was under way. " +
  "The run goes on without waiting for the listener: each would wait for the other.";
const DEADLOCK_TEXT =
  "A listener was still busy a second after waitForIdle() was called. " +
  "The run goes on without it, in case the listener itself waits for the run.";

export type ListenerErrorHandler = (error: unknown, event: AgentEvent) => void;

/** An event on its way to the listeners. */
interface Dispatch {
  rest: Iterator<AgentListener>;
  event: AgentEvent;
  signal: AbortSignal;
  gate: AbortGate;
}

/** A listener that the run waits for. */
interface Wait {
  event: AgentEvent;
  letGo: () => void;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export class AgentListeners {
  readonly #listeners = new Set<AgentListener>();
  /** Those that wait for a listener, in the order of their events. */
  readonly #dispatches = new Set<Dispatch>();
  readonly #waits = new Set<Wait>();
  readonly #onError: ListenerErrorHandler;
  /** Counts calls of {@link AgentListeners.expectIdleWait}, to tell whether a listener made one. */
  #idleWaits = 0;

  constructor(onError: ListenerErrorHandler = reportToConsole) {
    this.#onError = onError;
  }

  /** Returns a function that takes the listener out again and tells whether it was still in. */
  subscribe(listener: AgentListener): () => boolean {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Tells every listener. One that is added meanwhile is told too; one that is removed before its turn is not. Returns a
   * promise when a listener did. After an abort nobody is waited for long.
   */
  notify(event: AgentEvent, signal: AbortSignal, gate: AbortGate): void | Promise<void> {
    // Without waiting, an event could overtake an earlier one on its way to the listeners.
    if (gate.graceOver) for (const earlier of this.#dispatches) this.#continue(earlier);
    return this.#continue({ rest: this.#listeners.values(), event, signal, gate });
  }

  /** Somebody waits for the run: no listener may hold it up for ever. */
  expectIdleWait(): void {
    this.#idleWaits++;
    for (const wait of this.#waits) this.#letGoLater(wait);
  }

  #continue(dispatch: Dispatch): void | Promise<void> {
    const { rest, event, signal, gate } = dispatch;
    for (let next = rest.next(); !next.done; next = rest.next()) {
      const pending = this.#call(next.value, event, signal);
      if (pending && !gate.graceOver) return this.#continueAfter(pending, dispatch);
    }
  }

  async #continueAfter(pending: Promise<void>, dispatch: Dispatch): Promise<void> {
    this.#dispatches.add(dispatch);
    await this.#wait(pending, dispatch);
    this.#dispatches.delete(dispatch);
    await this.#continue(dispatch);
  }

  /** Undefined when there is nothing to wait for. */
  #call(listener: AgentListener, event: AgentEvent, signal: AbortSignal): Promise<void> | undefined {
    const idleWaits = this.#idleWaits;
    try {
      const returned: unknown = listener(event, signal);
      if (!isPromiseLike(returned)) return undefined;
      const settled = Promise.resolve(returned).then(
        () => {},
        (error: unknown) => this.#report(error, event),
      );
      if (this.#idleWaits === idleWaits) return settled;
      this.#report(new Error(REENTRANT_TEXT), event);
      return undefined;
    } catch (error) {
      this.#report(error, event);
      return undefined;
    }
  }

  async #wait(pending: Promise<void>, { event, gate }: Dispatch): Promise<void> {
    const letGo = Promise.withResolvers<void>();
    const wait: Wait = { event, letGo: letGo.resolve, timer: undefined };
    this.#waits.add(wait);
    await gate.waitForWatcher(Promise.race([pending, letGo.promise]));
    this.#waits.delete(wait);
    clearTimeout(wait.timer);
  }

  #letGoLater(wait: Wait): void {
    wait.timer ??= setTimeout(() => {
      this.#report(new Error(DEADLOCK_TEXT), wait.event);
      wait.letGo();
    }, DEADLOCK_TIMEOUT_MS);
  }

  #report(error: unknown, event: AgentEvent): void {
    try {
      this.#onError(error, event);
    } catch (reportError) {
      reportToConsole(reportError, event);
    }
  }
}

function reportToConsole(error: unknown, event: AgentEvent): void {
  // biome-ignore lint/suspicious/noConsole: an error that nobody asked for must not vanish.
  console.error(`A listener of the agent failed at ${event.type}:`, error);
}
