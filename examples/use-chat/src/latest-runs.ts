/** The last run of each chat, at most one at a time. With several web servers, a database holds this. */
import { type ClosableEventStore, stopRun } from "pi-agent/event-store";
import type { UIMessageChunk } from "pi-agent/ui-stream";

const MAX_CHATS = 1000;

export class LatestRuns {
  readonly #store: ClosableEventStore<UIMessageChunk>;
  readonly #runs = new Map<string, string>();

  constructor(store: ClosableEventStore<UIMessageChunk>) {
    this.#store = store;
  }

  find(chat: string): string | undefined {
    return this.#runs.get(chat);
  }

  /** Stops the run before, and forgets the oldest chat. */
  async begin(chat: string, runId: string): Promise<void> {
    const before = this.#runs.get(chat);
    this.#runs.delete(chat);
    this.#runs.set(chat, runId);
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > MAX_CHATS && oldest !== undefined) this.#runs.delete(oldest);
    if (before !== undefined) await stopRun(this.#store, before);
  }

  async stop(chat: string): Promise<void> {
    const runId = this.#runs.get(chat);
    if (runId !== undefined) await stopRun(this.#store, runId);
  }
}
