/** Messages that wait for a turn, and where they are stored. */
import type { AgentMessage } from "./message.js";

/** Which queue a message waits in: for the next turn of the run, or for its end. */
export type QueueKind = "steer" | "followUp";

/** A message that waits for a turn. */
export interface QueuedMessage {
  /** Its queue. */
  readonly kind: QueueKind;
  /** The message. */
  readonly message: AgentMessage;
}

/** Options of `agent.send`. */
export interface SendOptions {
  /**
   * How the message is treated while a run is under way: it waits for the next turn, or for the end of the run, or is refused
   * with an `AgentBusyError`. Default `"followUp"`.
   */
  whileRunning?: QueueKind | "refuse" | undefined;
}

/** The result of `agent.send`. */
export interface Sent {
  /** Whether it started a run, or in which queue the message is. */
  readonly did: "start" | QueueKind;
  /** Resolves when the run is over, or when the message is queued, and stored if the agent has an open session. */
  readonly done: Promise<void>;
}

/** The outcome of `agent.resume`: nothing to do, a run that is over now, or a conversation that waits for answers. */
export type ResumeOutcome = "idle" | "continued" | "paused";

/** Stores what an agent has queued. A message that reaches the conversation has left its queue. */
export interface QueueStore {
  /**
   * Takes the messages that wait from an earlier process; later calls return none, so that one agent answers them.
   *
   * @param agent the agent that has the middleware
   * @param messages its conversation
   */
  attach(agent: object, messages: readonly AgentMessage[]): readonly QueuedMessage[];
  /** Stores a message that was queued. Resolves when it is stored; never rejects. */
  add(queued: QueuedMessage): Promise<void>;
  /** Drops what waits in a queue. */
  clear(kind: QueueKind): void;
}
