/** Events in the memory of one process. */
import { type Checks, checkOptions, mustBeCountOrOff, mustBeDuration } from "../../checks.js";
import {
  type ClosableEventStore,
  createEventStore,
  type EventBackend,
  type EventPage,
  KEEP_EVENTS,
  PAGE_SIZE,
  RETAIN_MS,
} from "./event-store.js";
import { Waiters } from "./waiters.js";

/** Options of {@link createMemoryEventStore}. */
export interface EventStoreOptions {
  /** Milliseconds for which the events of a run are kept after the last one. Default 24 hours. */
  retainMs?: number | undefined;
  /** The number of events before a snapshot to keep for readers that lag behind. Default 256. */
  keepEvents?: number | undefined;
}

export const EVENT_STORE_CHECKS: Checks<keyof EventStoreOptions> = {
  retainMs: mustBeDuration,
  keepEvents: mustBeCountOrOff,
};

/**
 * Keeps events in memory, for a single web server or for tests. A run without an end is kept until `close`.
 *
 * @example
 * const store = createMemoryEventStore<AgentEvent>();
 */
export function createMemoryEventStore<TEvent = unknown>(options: EventStoreOptions = {}): ClosableEventStore<TEvent> {
  checkOptions(options, EVENT_STORE_CHECKS);
  const { retainMs = RETAIN_MS, keepEvents = KEEP_EVENTS } = options;
  return createEventStore<TEvent>(new MemoryBackend(retainMs, keepEvents));
}

interface Run {
  texts: string[];
  /** The number of dropped events before the first kept one. */
  dropped: number;
  snapshot?: { offset: number; text: string };
  ended: boolean;
}

class MemoryBackend implements EventBackend {
  readonly #retainMs: number;
  readonly #keepEvents: number;
  readonly #runs = new Map<string, Run>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  readonly #waiters = new Waiters();

  constructor(retainMs: number, keepEvents: number) {
    this.#retainMs = retainMs;
    this.#keepEvents = keepEvents;
  }

  async append(runId: string, text: string): Promise<number | undefined> {
    const run = this.#open(runId);
    if (run.ended) return undefined;
    run.texts.push(text);
    this.#waiters.wake(runId);
    return run.dropped + run.texts.length;
  }

  async fetch(runId: string, fromOffset: number): Promise<EventPage> {
    const run = this.#runs.get(runId);
    if (!run) return { entries: [], last: 0, ended: false, isKnown: false };
    const { texts, dropped, ended } = run;
    const snapshot = fromOffset < dropped ? run.snapshot : undefined;
    const start = (snapshot?.offset ?? fromOffset) - dropped;
    const page = start < 0 ? [] : texts.slice(start, start + PAGE_SIZE);
    const entries = page.map((text, index) => [dropped + start + index + 1, text] as const);
    return { snapshot, entries, last: dropped + texts.length, ended, isKnown: true };
  }

  async begin(runId: string): Promise<void> {
    this.#open(runId);
  }

  async end(runId: string): Promise<void> {
    const run = this.#open(runId);
    if (run.ended) return;
    run.ended = true;
    this.#waiters.wake(runId);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#runs.delete(runId);
    }, this.#retainMs);
    // The timer must not keep the process alive. Only Node has `unref`.
    if (typeof timer === "object") timer.unref?.();
    this.#timers.add(timer);
  }

  async snapshot(runId: string, offset: number, text: string): Promise<void> {
    const run = this.#runs.get(runId);
    if (!run || offset <= (run.snapshot?.offset ?? 0) || offset > run.dropped + run.texts.length) return;
    run.snapshot = { offset, text };
    const count = Math.max(0, offset - this.#keepEvents - run.dropped);
    run.texts.splice(0, count);
    run.dropped += count;
  }

  wait(runId: string, offset: number, signal: AbortSignal): Promise<void> {
    return this.#waiters.wait(runId, offset, {
      signal,
      // The run may have grown since it was fetched.
      begin: () => {
        const run = this.#runs.get(runId);
        if (run && (run.ended || run.dropped + run.texts.length > offset)) this.#waiters.wake(runId);
      },
    });
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#runs.clear();
    this.#waiters.wakeAll();
  }

  #open(runId: string): Run {
    const run = this.#runs.get(runId) ?? { texts: [], dropped: 0, ended: false };
    this.#runs.set(runId, run);
    return run;
  }
}
