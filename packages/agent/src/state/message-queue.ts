/** Messages that wait for a turn; one queue holds steering messages, another follow-ups. */
import type { AgentMessage } from "../types/message.js";
import type { AgentOptions } from "../types/options.js";
import type { QueueMode } from "../types/state.js";

/** The two queues of an agent: steering messages for the next turn, and follow-ups for the end of a run. */
export class AgentQueues {
  readonly steering: MessageQueue;
  readonly followUps: MessageQueue;

  constructor(options: Pick<AgentOptions, "steeringMode" | "followUpMode">) {
    this.steering = new MessageQueue(options.steeringMode ?? "one-at-a-time");
    this.followUps = new MessageQueue(options.followUpMode ?? "one-at-a-time");
  }

  get isEmpty(): boolean {
    return this.steering.isEmpty && this.followUps.isEmpty;
  }

  /** The messages that the next turn would take. */
  peek(): AgentMessage[] {
    return this.steering.isEmpty ? this.followUps.peek() : this.steering.peek();
  }

  /** A message was added to the conversation. */
  confirm(message: AgentMessage): void {
    this.steering.confirm(message);
    this.followUps.confirm(message);
  }

  /** Requeues the messages that a run took but did not add to the conversation. */
  restore(): void {
    this.steering.restore();
    this.followUps.restore();
  }

  clear(): void {
    this.steering.clear();
    this.followUps.clear();
  }
}

export class MessageQueue {
  mode: QueueMode;
  readonly #waiting = new MessageList();
  /** Taken by the run and not in the transcript yet. */
  readonly #taken = new MessageList();

  constructor(mode: QueueMode) {
    this.mode = mode;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(message: AgentMessage): void {
    this.#waiting.add(message);
  }

  /** The messages that {@link take} would return. */
  peek(): AgentMessage[] {
    return this.#waiting.peek(this.#batchSize);
  }

  /** Takes the messages of one turn. Each counts as taken until it is confirmed with {@link confirm}. */
  take(): AgentMessage[] {
    if (this.isEmpty) return [];
    const batch = this.#waiting.peek(this.#batchSize);
    for (const message of batch) {
      this.#waiting.remove(message);
      this.#taken.add(message);
    }
    return batch;
  }

  /** A message was added to the transcript. */
  confirm(message: AgentMessage): void {
    this.#taken.remove(message);
  }

  /** Puts the messages that were taken and not confirmed back at the head. */
  restore(): void {
    const lost = this.#taken.clear();
    if (lost.length === 0) return;
    const waiting = this.#waiting.clear();
    for (const message of lost) this.#waiting.add(message);
    for (const message of waiting) this.#waiting.add(message);
  }

  /** Drops all messages, including those that were taken, so that {@link restore} does not put them back. */
  clear(): void {
    this.#waiting.clear();
    this.#taken.clear();
  }

  get #batchSize(): number {
    return this.mode === "all" ? this.#waiting.length : 1;
  }
}

/** A list from whose head messages are removed at constant cost: `shift` and `splice` move all that follows. */
class MessageList {
  #messages: AgentMessage[] = [];
  #head = 0;

  get length(): number {
    return this.#messages.length - this.#head;
  }

  add(message: AgentMessage): void {
    this.#messages.push(message);
  }

  peek(count: number): AgentMessage[] {
    return this.#messages.slice(this.#head, this.#head + count);
  }

  remove(message: AgentMessage): void {
    if (this.length === 0) return;
    if (this.#messages[this.#head] === message) this.#removeHead();
    else this.#removeLater(message);
  }

  /** Empties the list and returns its messages. */
  clear(): AgentMessage[] {
    const held = this.peek(this.length);
    this.#messages = [];
    this.#head = 0;
    return held;
  }

  #removeHead(): void {
    this.#head++;
    if (this.#head * 2 < this.#messages.length) return;
    this.#messages = this.#messages.slice(this.#head);
    this.#head = 0;
  }

  #removeLater(message: AgentMessage): void {
    const index = this.#messages.indexOf(message, this.#head);
    if (index !== -1) this.#messages.splice(index, 1);
  }
}
