/** Reports the errors of listeners on the console: the first of each listener in full, then their number. */
import type { AgentEvent } from "../types/event.js";

interface Repeated {
  count: number;
  error: unknown;
  event: AgentEvent;
}

export class ConsoleReport {
  /** Sources whose first error was reported. */
  readonly #reported = new WeakSet<object>();
  readonly #repeated = new Map<object, Repeated>();

  /** @param source the listener that failed */
  add(error: unknown, event: AgentEvent, source: object): void {
    if (this.#reported.has(source)) {
      this.#repeated.set(source, { count: (this.#repeated.get(source)?.count ?? 0) + 1, error, event });
      return;
    }
    this.#reported.add(source);
    // biome-ignore lint/suspicious/noConsole: an error without a handler must not be lost.
    console.error(`A listener of the agent failed at ${event.type}:`, error);
  }

  /** Reports, at the end of a run, how often each listener failed again. */
  flush(): void {
    for (const { count, error, event } of this.#repeated.values()) {
      const times = count === 1 ? "once" : `${count} times`;
      // biome-ignore lint/suspicious/noConsole: as above.
      console.error(`A listener of the agent failed ${times} more, last at ${event.type}: ${String(error)}`);
    }
    this.#repeated.clear();
  }
}
