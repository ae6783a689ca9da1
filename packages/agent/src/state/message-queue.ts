/** Messages that wait for a turn; one queue holds steering messages, another follow-ups. */
import type { AgentMessage } from "../types/message.js";
import type { AgentMiddleware } from "../types/middleware.js";
import type { AgentOptions } from "../types/options.js";
import type { QueuedMessage, QueueKind, QueueStore } from "../types/queue.js";
import type { QueueMode } from "../types/state.js";

/** The agent that has the queues. Its middleware may be set at any time. */
interface QueueOwner {
  readonly state: { readonly messages: readonly AgentMessage[] };
  readonly middleware?: readonly AgentMiddleware[] | undefined;
}

/** The two queues of an agent: steering messages for the next turn, and follow-ups for the end of a run. */
export class AgentQueues {
  readonly steering: MessageQueue;
  readonly followUps: MessageQueue;
  readonly #owner: QueueOwner;
  /** The prompts of the run come from the steering queue, so its first turn takes no more of it. */
  #hasTakenSteering = false;
  /** The run has found no follow-up, and is about to end. */
  #isDrained = false;

  constructor(owner: QueueOwner, options: Pick<AgentOptions, "steeringMode" | "followUpMode">) {
    this.#owner = owner;
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

  /** Adds a message, and stores it where middleware stores queues. Resolves when it is stored. */
  accept(queued: QueuedMessage): Promise<void> {
    this.takeStored();
    this.#of(queued.kind).add(queued.message);
    return this.#storeQueued(queued);
  }

  async #storeQueued(queued: QueuedMessage): Promise<void> {
    for (const store of this.#stores()) await store.add(queued);
  }

  /** Takes what waits from an earlier process. */
  takeStored(): void {
    const { messages } = this.#owner.state;
    for (const store of this.#stores())
      for (const { kind, message } of store.attach(this.#owner, messages)) this.#of(kind).add(message);
  }

  /** Drops the messages of one queue, also where they are stored. */
  drop(kind: QueueKind): void {
    for (const store of this.#stores()) store.clear(kind);
    this.#of(kind).clear();
  }

  #stores(): QueueStore[] {
    return (this.#owner.middleware ?? []).flatMap((one) => one?.queue ?? []);
  }

  #of(kind: QueueKind): MessageQueue {
    return kind === "steer" ? this.steering : this.followUps;
  }

  /** Takes the prompts of a run that begins with nothing else. */
  takePrompts(): AgentMessage[] {
    this.#hasTakenSteering = !this.steering.isEmpty;
    return this.#hasTakenSteering ? this.steering.take() : this.followUps.take();
  }

  beginRun(): void {
    this.#isDrained = false;
  }

  /** Takes the steering messages of a turn. */
  takeSteering(): AgentMessage[] {
    const taken = this.#hasTakenSteering ? [] : this.steering.take();
    this.#hasTakenSteering = false;
    return taken;
  }

  /** Takes the follow-ups of a run that would end. */
  takeFollowUps(): AgentMessage[] {
    const taken = this.followUps.take();
    this.#isDrained = taken.length === 0;
    return taken;
  }

  /** Whether a message has come after the run's last look. */
  get hasLate(): boolean {
    return this.#isDrained && !this.isEmpty;
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
    this.#hasTakenSteering = false;
  }
}

export class MessageQueue {
  mode: QueueMode;
  #messages: AgentMessage[] = [];
  /** The messages before this index have left the queue: `shift` would move all that follow. */
  #head = 0;
  /** So many messages from the head on were taken by the run and are not in the transcript yet. */
  #taken = 0;

  constructor(mode: QueueMode) {
    this.mode = mode;
  }

  get isEmpty(): boolean {
    return this.#waitingFrom === this.#messages.length;
  }

  add(message: AgentMessage): void {
    this.#messages.push(message);
  }

  /** The messages that {@link take} would return. */
  peek(): AgentMessage[] {
    const from = this.#waitingFrom;
    return this.#messages.slice(from, this.mode === "all" ? undefined : from + 1);
  }

  /** Takes the messages of one turn. Each counts as taken until it is confirmed with {@link confirm}. */
  take(): AgentMessage[] {
    const batch = this.peek();
    this.#taken += batch.length;
    return batch;
  }

  /** A message was added to the transcript. */
  confirm(message: AgentMessage): void {
    for (let index = this.#head; index < this.#waitingFrom; index++) {
      if (this.#messages[index] !== message) continue;
      this.#remove(index);
      return;
    }
  }

  /** Puts the messages that were taken and not confirmed back at the head. */
  restore(): void {
    this.#taken = 0;
  }

  /** Drops all messages, including those that were taken, so that {@link restore} does not put them back. */
  clear(): void {
    this.#messages = [];
    this.#head = 0;
    this.#taken = 0;
  }

  get #waitingFrom(): number {
    return this.#head + this.#taken;
  }

  /** Removes a message that was taken. They are confirmed in their order, so it nearly always is the first. */
  #remove(index: number): void {
    this.#taken--;
    if (index > this.#head) {
      this.#messages.splice(index, 1);
      return;
    }
    this.#head++;
    if (this.#head * 2 < this.#messages.length) return;
    this.#messages = this.#messages.slice(this.#head);
    this.#head = 0;
  }
}
