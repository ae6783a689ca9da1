/** What becomes of the errors of listeners: they go to the application's handler, or to the console. */
import type { AgentEvent } from "../types/event.js";

export type ListenerErrorHandler = (error: unknown, event: AgentEvent) => void;

interface Repeated {
  count: number;
  error: unknown;
  event: AgentEvent;
}

export class ListenerErrors {
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
