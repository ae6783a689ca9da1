/** Messages that wait for a turn: one class for steering and for follow-ups. */
import type { AgentMessage } from "../types/message.js";
import type { QueueMode } from "../types/state.js";

export class MessageQueue {
  mode: QueueMode;
  #waiting: AgentMessage[] = [];
  /** Taken by the run, and not yet in the transcript. */
  #taken: AgentMessage[] = [];

  constructor(mode: QueueMode) {
    this.mode = mode;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(message: AgentMessage): void {
    this.#waiting.push(message);
  }

  /** What {@link take} would give. */
  peek(): AgentMessage[] {
    return this.mode === "all" ? this.#waiting.slice() : this.#waiting.slice(0, 1);
  }

  /** Hands out the messages of one turn. Each stays here until {@link confirm} says that it arrived. */
  take(): AgentMessage[] {
    if (this.#waiting.length === 0) return [];
    const batch = this.#waiting.splice(0, this.mode === "all" ? this.#waiting.length : 1);
    this.#taken.push(...batch);
    return batch;
  }

  /** A message stands in the transcript. */
  confirm(message: AgentMessage): void {
    if (this.#taken.length === 0) return;
    const index = this.#taken.indexOf(message);
    if (index !== -1) this.#taken.splice(index, 1);
  }

  /** Takes back, to its head, what was handed out and did not arrive. */
  restore(): void {
    this.#waiting.unshift(...this.#taken);
    this.#taken = [];
  }

  /** Drops everything, also what was handed out: it will not come back. */
  clear(): void {
    this.#waiting = [];
    this.#taken = [];
  }
}
