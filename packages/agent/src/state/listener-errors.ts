/** The errors of listeners: each goes to `onListenerError`, or the first of each listener to the console. */
import { isPromiseLike } from "../abort-gate.js";
import type { AgentEvent } from "../types/event.js";

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

export class ListenerErrors {
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
    const showFailure = (thrown: unknown): void => {
      this.#show(thrown, event, { source: handler, name: "onListenerError" });
    };
    try {
      const returned: unknown = handler(error, event);
      // Nobody waits for an asynchronous handler, and a rejection that nobody handles ends the process.
      if (isPromiseLike(returned)) returned.then(undefined, showFailure);
    } catch (thrown) {
      showFailure(thrown);
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
