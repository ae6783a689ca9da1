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

export type ListenerErrorHandler = (error: unknown, event: AgentEvent) => void;

/** The receiver that has failed. */
interface Failed {
  /** Its first error is shown in full. */
  source: object;
  /** Its name in the texts, at the beginning of a sentence. */
  name: string;
}

interface Repeated extends Failed {
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

  report(error: unknown, event: AgentEvent, failed: Failed): void {
    const handler = this.#handler;
    if (!handler) {
      this.#show(error, event, failed);
      return;
    }
    try {
      handler(error, event);
    } catch (handlerError) {
      this.#show(handlerError, event, { source: handler, name: "onListenerError" });
    }
  }

  /** Shows, at the end of a run, how often each source failed again. */
  flush(): void {
    for (const { count, error, event, name } of this.#repeated.values()) {
      const times = count === 1 ? "once" : `${count} times`;
      // biome-ignore lint/suspicious/noConsole: as below.
      console.error(`${name} of the agent failed ${times} more, last at ${event.type}: ${String(error)}`);
    }
    this.#repeated.clear();
  }

  /** Shows the first error of a source in full, and counts the others. */
  #show(error: unknown, event: AgentEvent, { source, name }: Failed): void {
    if (this.#shown.has(source)) {
      const count = (this.#repeated.get(source)?.count ?? 0) + 1;
      this.#repeated.set(source, { source, name, count, error, event });
      return;
    }
    this.#shown.add(source);
    // biome-ignore lint/suspicious/noConsole: an error without a handler must not be lost.
    console.error(`${name} of the agent failed at ${event.type}:`, error);
  }
}
