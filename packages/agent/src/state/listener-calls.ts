/**
 * Calls listeners.
 *
 * A listener that awaits `waitForIdle()` would deadlock: the run waits for the listener, and the listener for the run. A
 * call that a listener makes before its first `await` is recognized, because the listener is then on the call stack, and
 * its promise resolves as soon as the run waits for that listener. A later call looks like a call from outside in every
 * runtime without asynchronous context, so it waits for the real end.
 */
import { isPromiseLike, ONE_TICK } from "../abort-gate.js";
import type { AgentEvent, AgentListener } from "../types/event.js";
import { type ListenerErrorHandler, ListenerErrors } from "./listener-errors.js";

/** The call of a listener that is on the call stack. */
interface ListenerCall {
  /** The promise that {@link ListenerCalls.waitForIdle} returned to the listener. */
  wait: PromiseWithResolvers<void> | undefined;
}

export class ListenerCalls {
  readonly errors: ListenerErrors;
  #current: ListenerCall | undefined;

  constructor(onError: ListenerErrorHandler | undefined) {
    this.errors = new ListenerErrors(onError);
  }

  /** Calls a listener. Returns what to wait for, which never rejects: {@link ONE_TICK} if it returned no promise. */
  call(listener: AgentListener, event: AgentEvent, signal: AbortSignal): Promise<void> {
    const outer = this.#current;
    const call: ListenerCall = { wait: undefined };
    this.#current = call;
    try {
      const returned: unknown = listener(event, signal);
      if (!isPromiseLike(returned)) return ONE_TICK;
      call.wait?.resolve();
      return Promise.resolve(returned).then(
        () => {},
        (error: unknown) => this.errors.report(error, event, { source: listener, name: "A listener" }),
      );
    } catch (error) {
      this.errors.report(error, event, { source: listener, name: "A listener" });
      return ONE_TICK;
    } finally {
      this.#current = outer;
    }
  }

  /**
   * A promise for the end of the run. For a listener that is on the call stack it resolves as soon as the run waits for
   * that listener.
   */
  waitForIdle(settled: Promise<void>): Promise<void> {
    const call = this.#current;
    if (!call) return settled;
    call.wait ??= Promise.withResolvers<void>();
    settled.then(call.wait.resolve);
    return call.wait.promise;
  }
}
