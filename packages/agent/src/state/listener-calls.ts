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

/** The call of a listener that is on the call stack. */
interface ListenerCall {
  /** What {@link ListenerCalls.waitForIdle} returned to the listener. */
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
        (error: unknown) => this.errors.report(error, event, listener),
      );
    } catch (error) {
      this.errors.report(error, event, listener);
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

export type ListenerErrorHandler = (error: unknown, event: AgentEvent) => void;

interface Repeated {
  count: number;
  error: unknown;
  event: AgentEvent;
}

class ListenerErrors {
  readonly #handler: ListenerErrorHandler | undefined;
  /** Sources whose first error is on the console. */
  readonly #shown = new WeakSet<object>();
  readonly #repeated = new Map<object, Repeated>();

  constructor(handler: ListenerErrorHandler | undefined) {
    this.#handler = handler;
  }

  /** @param source the listener that failed */
  report(error: unknown, event: AgentEvent, source: object): void {
    const handler = this.#handler;
    try {
      if (handler) handler(error, event);
      else this.#show(error, event, source);
    } catch (handlerError) {
      this.#show(handlerError, event, handler ?? source);
    }
  }

  /** Shows, at the end of a run, how often each source failed again. */
  flush(): void {
    for (const { count, error, event } of this.#repeated.values()) {
      const times = count === 1 ? "once" : `${count} times`;
      // biome-ignore lint/suspicious/noConsole: as below.
      console.error(`A listener of the agent failed ${times} more, last at ${event.type}: ${String(error)}`);
    }
    this.#repeated.clear();
  }

  /** Shows the first error of a source in full, and counts the others. */
  #show(error: unknown, event: AgentEvent, source: object): void {
    if (this.#shown.has(source)) {
      this.#repeated.set(source, { count: (this.#repeated.get(source)?.count ?? 0) + 1, error, event });
      return;
    }
    this.#shown.add(source);
    // biome-ignore lint/suspicious/noConsole: an error without a handler must not be lost.
    console.error(`A listener of the agent failed at ${event.type}:`, error);
  }
}
