/** The events of a run: first to the sink, then to middleware, and to nobody once the run is over. */
import { type AbortGate, isPromiseLike } from "../abort-gate.js";
import type { AgentEvent, AgentEventSink } from "../types/event.js";
import type { RunHooks } from "../types/middleware.js";
import type { RunSteps } from "../types/run-steps.js";

export interface RunEventsOptions {
  emit: AgentEventSink;
  /** Whether `emit` never throws or rejects and already enforces the post-abort grace period. */
  emitIsSafe?: boolean;
  gate: AbortGate;
}

export class RunEvents {
  readonly #sink: RunEventsOptions;
  readonly #steps: RunSteps;
  #onEvent: RunHooks["onEvent"];
  #onDelta: ((event: AgentEvent) => void) | undefined;
  #closed = false;
  #sinkFailure: { readonly error: unknown } | undefined;

  constructor(sink: RunEventsOptions, steps: RunSteps) {
    this.#sink = sink;
    this.#steps = steps;
  }

  /** Whether events are dropped: the run is over, or the event sink threw. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Calls a hook with each event but a delta, once it was delivered. */
  observeWith(onEvent: RunHooks["onEvent"]): void {
    this.#onEvent = onEvent;
  }

  /** Calls a function with each delta, as soon as it was emitted. */
  watchDeltas(listener: (event: AgentEvent) => void): void {
    const earlier = this.#onDelta;
    this.#onDelta = earlier
      ? (event) => {
          earlier(event);
          listener(event);
        }
      : listener;
  }

  /**
   * Emits an event. The one place that returns a promise only if there is something to wait for: there is an event for every
   * delta, and a promise for each would cost more than all else in the loop.
   */
  emit(event: AgentEvent): Promise<void> | undefined {
    if (this.#closed) return undefined;
    try {
      const shown: AgentEvent = this.#steps.isReplaying ? { ...event, replayed: true } : event;
      const taken = this.#sink.emit(shown);
      const pending = taken !== undefined && isPromiseLike(taken);
      const delivered = pending ? (this.#sink.emitIsSafe ? taken : this.#settle(taken)) : undefined;
      if (isDelta(event)) this.#onDelta?.(shown);
      else if (this.#onEvent) return this.#observe(shown, delivered);
      return delivered;
    } catch (error) {
      throw this.#fail(error);
    }
  }

  /** Stops emitting: a tool that goes on after the end must not reach a later run. */
  close(): void {
    this.#closed = true;
  }

  /** Throws the error of the event sink, if it had one. */
  assertDelivered(): void {
    if (this.#sinkFailure) throw this.#sinkFailure.error;
  }

  /** Passes an event on to middleware, once it was delivered. After an abort the run waits no longer than for a listener. */
  async #observe(event: AgentEvent, delivered: Promise<void> | undefined): Promise<void> {
    await delivered;
    const observed = this.#onEvent?.(event);
    if (observed) await this.#sink.gate.waitForObserver(observed);
  }

  async #settle(taken: PromiseLike<void>): Promise<void> {
    try {
      await this.#sink.gate.waitForObserver(taken);
    } catch (error) {
      throw this.#fail(error);
    }
  }

  #fail(error: unknown): unknown {
    this.#sinkFailure ??= { error };
    this.close();
    return error;
  }
}

/** Children of children are nested. */
function isDelta(event: AgentEvent): boolean {
  return event.type === "message_update" || (event.type === "child_event" && isDelta(event.event));
}
