/**
 * The events of a run: first to the sink, then to middleware, and to nobody once the run is over. Each of them gets every event
 * in the same order: an event waits for an earlier one that is still being delivered, such as that of a parallel call.
 */
import { type AbortGate, isPromiseLike, ONE_TICK } from "../abort-gate.js";
import type { AgentEvent, AgentEventSink } from "../types/event.js";
import type { RunHooks } from "../types/middleware.js";
import type { RunSteps } from "../types/run-steps.js";

export interface RunEventsOptions {
  emit: AgentEventSink;
  /** `emit` never throws or rejects, and waits no longer than the grace period after an abort. */
  emitIsSafe?: boolean;
  gate: AbortGate;
}

/**
 * Four things can hold at a time:
 * - `#isSending`: an event is being handed over. What its receivers emit meanwhile waits in `#nested`, so that they do not wait
 *   for themselves.
 * - `#earlier`: an event was handed over, and its receivers have not ended yet. The next one follows them.
 * - `#closed`: the run is over, or the sink has thrown. Events are dropped.
 * - `#sinkFailure`: the sink has thrown. The run throws it where it next asks, see {@link RunEvents.assertDelivered}.
 */
export class RunEvents {
  readonly #sink: RunEventsOptions;
  readonly #steps: RunSteps;
  readonly #onFailure: (error: unknown) => void;
  #onEvent: RunHooks["onEvent"];
  #onDelta: ((event: AgentEvent) => void) | undefined;
  /** The delivery of the latest event, while it waits for someone. */
  #earlier: Promise<void> | undefined;
  #isSending = false;
  /** Events that were emitted by whoever was just receiving one. */
  readonly #nested: AgentEvent[] = [];
  #closed = false;
  #takesMessages = false;
  #sinkFailure: { readonly error: unknown } | undefined;

  /** @param onFailure receives what the hook of middleware throws */
  constructor(sink: RunEventsOptions, steps: RunSteps, onFailure: (error: unknown) => void) {
    this.#sink = sink;
    this.#steps = steps;
    this.#onFailure = onFailure;
  }

  /** True if events are dropped: the run is over, or the event sink threw. */
  get closed(): boolean {
    return this.#closed;
  }

  /** True from the first `turn_start` to `agent_end`: a message has its place there, and everybody has seen the beginning. */
  get takesMessages(): boolean {
    return this.#takesMessages;
  }

  /** True while an event is being delivered. Whoever may be receiving it must not wait for the next one. */
  get isBusy(): boolean {
    return this.#isSending || this.#earlier !== undefined;
  }

  /**
   * Delivers an event, after the one before it. Returns a promise only if there is something to wait for, and so do the methods that
   * call it: there is an event for every delta, and a promise for each would cost more than all else in the loop.
   */
  emit(given: AgentEvent): Promise<void> | undefined {
    if (this.#closed) return undefined;
    if (given.type === "turn_start") this.#takesMessages = true;
    else if (given.type === "agent_end") this.#takesMessages = false;
    const event: AgentEvent = this.#steps.isReplaying ? { ...given, replayed: true } : given;
    if (this.#isSending) {
      this.#nested.push(event);
      return undefined;
    }
    const send = (): Promise<void> | undefined => (this.#closed ? undefined : this.#send(event));
    const delivered = this.#earlier ? this.#earlier.then(send, send) : this.#send(event);
    if (delivered && delivered !== ONE_TICK) this.#follow(delivered);
    if (this.#nested.length > 0) this.#emitNested();
    return delivered;
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

  /** Throws the error of the event sink, if it had one. */
  assertDelivered(): void {
    if (this.#sinkFailure) throw this.#sinkFailure.error;
  }

  /** Stops emitting: a tool that goes on after the end must not reach a later run. */
  close(): void {
    this.#closed = true;
  }

  #follow(delivered: Promise<void>): void {
    this.#earlier = delivered;
    const leave = (): void => {
      if (this.#earlier === delivered) this.#earlier = undefined;
    };
    delivered.then(leave, leave);
  }

  #emitNested(): void {
    for (const event of this.#nested.splice(0)) this.emit(event);
  }

  #send(event: AgentEvent): Promise<void> | undefined {
    this.#isSending = true;
    try {
      const taken = this.#sink.emit(event);
      const pending = taken !== undefined && isPromiseLike(taken);
      const delivered = pending ? (this.#sink.emitIsSafe ? taken : this.#waitForSink(taken)) : undefined;
      if (isDelta(event)) this.#onDelta?.(event);
      else if (this.#onEvent) return this.#observe(event, delivered);
      return delivered;
    } catch (error) {
      throw this.#fail(error);
    } finally {
      this.#isSending = false;
      // Those of an event that has waited come after what waits already.
      if (this.#earlier && this.#nested.length > 0) this.#emitNested();
    }
  }

  /** Passes an event on to middleware, once it was delivered. After an abort the run waits no longer than for a listener. */
  async #observe(event: AgentEvent, delivered: Promise<void> | undefined): Promise<void> {
    await delivered;
    try {
      const observed = this.#onEvent?.(event);
      if (observed) await this.#sink.gate.waitForObserver(observed);
    } catch (error) {
      this.#onFailure(error);
    }
  }

  async #waitForSink(taken: PromiseLike<void>): Promise<void> {
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
