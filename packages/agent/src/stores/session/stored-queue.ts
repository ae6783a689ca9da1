/** The queued messages of a session: stored when they are accepted, and gone when the conversation has them. */
import type { AgentMessage } from "../../types/message.js";
import type { QueuedMessage } from "../../types/queue.js";
import type { SessionLine } from "./session-lines.js";

export class StoredQueue {
  /** The messages that wait, by their numbers in the log. */
  readonly #waiting = new Map<number, QueuedMessage>();
  /** The numbers of a message that waits. It may have been queued more than once. */
  readonly #numbers = new Map<AgentMessage, Set<number>>();
  #last = 0;
  #isTaken = false;

  constructor(lines: readonly SessionLine[]) {
    for (const line of lines) {
      if (line.type === "queued") this.#put(line.number, line);
      else if (line.type === "unqueued") this.#drop((queued) => queued.kind === line.kind);
      else if (line.type === "message" && line.queued !== undefined) this.#remove(line.queued);
    }
  }

  /** The messages that wait, in the order in which they were accepted. */
  get messages(): AgentMessage[] {
    return [...this.#waiting.values()].map(({ message }) => message);
  }

  /** The messages that wait from an earlier process, once. */
  take(): readonly QueuedMessage[] {
    if (this.#isTaken) return [];
    this.#isTaken = true;
    return [...this.#waiting.values()];
  }

  /** Returns the line to write. */
  add({ kind, message }: QueuedMessage): SessionLine {
    const number = this.#last + 1;
    this.#put(number, { kind, message });
    return { type: "queued", number, kind, message };
  }

  /** Returns the line to write, if anything was dropped. */
  clear(kind: QueuedMessage["kind"]): SessionLine | undefined {
    return this.#drop((queued) => queued.kind === kind) ? { type: "unqueued", kind } : undefined;
  }

  /** A message reached the conversation. Returns its number if it had waited. */
  deliver(message: AgentMessage): number | undefined {
    const [number] = this.#numbers.get(message) ?? [];
    if (number !== undefined) this.#remove(number);
    return number;
  }

  #put(number: number, { kind, message }: QueuedMessage): void {
    this.#waiting.set(number, { kind, message });
    const numbers = this.#numbers.get(message) ?? new Set();
    this.#numbers.set(message, numbers.add(number));
    this.#last = Math.max(this.#last, number);
  }

  #remove(number: number): void {
    const message = this.#waiting.get(number)?.message;
    this.#waiting.delete(number);
    const numbers = message && this.#numbers.get(message);
    if (!numbers) return;
    numbers.delete(number);
    if (numbers.size === 0) this.#numbers.delete(message);
  }

  #drop(isDropped: (queued: QueuedMessage) => boolean): boolean {
    let hasDropped = false;
    for (const [number, queued] of this.#waiting) {
      if (!isDropped(queued)) continue;
      this.#remove(number);
      hasDropped = true;
    }
    return hasDropped;
  }
}
