/** The two queues of an agent: steering messages for the next turn, and follow-ups for the end of a run. */
import type { AgentMessage } from "../types/message.js";
import type { AgentOptions } from "../types/options.js";
import { MessageQueue } from "./message-queue.js";

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
